"""Writes safetensors files: 8 bytes of header length, a JSON header, the tensors' bytes. Used by models.py."""
import json
import struct

import numpy as np


def to_bf16(array):
    """float32 -> the upper 16 bits, rounded to nearest, ties to even."""
    bits = array.astype(np.float32).view(np.uint32).astype(np.uint64)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)


def from_bf16(halves):
    return (halves.astype(np.uint32) << 16).view(np.float32)


def write(path, tensors):
    """tensors: name -> (dtype of the format, array whose bytes are the tensor's)."""
    header, data = {}, b''
    for name, (dtype, array) in tensors.items():
        raw = np.ascontiguousarray(array).tobytes()
        header[name] = {'dtype': dtype, 'shape': list(array.shape), 'data_offsets': [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header, separators=(',', ':')).encode()
    text += b' ' * (-len(text) % 8)  # the data begins at a multiple of 8, as the format's own writer has it
    with open(path, 'wb') as file:
        file.write(struct.pack('<Q', len(text)) + text + data)
