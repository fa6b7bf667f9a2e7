"""The MarianMT model in PyTorch, in 64-bit floats: what heed's numbers are compared with. Used by models.py.

Written from the architecture's description (Vaswani et al. 2017; the tensors and options of Hugging Face's MarianMT and
mBART), plainly: no cache, no batch, one sentence at a time. In 64 bits the figures that are stored are the same on any
machine, and far more exact than what is compared with them.

Letters: S source length, T target length, V vocabulary, L layers, D model width, H heads.
"""
import math

import torch
import torch.nn.functional as F

ACTIVATIONS = {'relu': F.relu, 'gelu': F.gelu, 'swish': F.silu, 'silu': F.silu}  # F.gelu is the exact (erf) one
EPSILON = 1e-5


def sinusoids(positions, width, is_marian=False):
    """[positions, width]: sin(pos / 10000^(2i/D)) in the left half, cos in the right.

    is_marian: as Marian itself has them, with 10000^(i/(n-1)) for i of n sines, and angles of 32 bits.
    """
    half = (width + 1) // 2
    step = torch.tensor(math.log(10000.0) / max(half - 1, 1), dtype=torch.float32)
    frequencies = torch.exp(-torch.arange(half, dtype=torch.float32) * step)
    table = torch.zeros(positions, width, dtype=torch.float64)
    for pos in range(positions):
        for j in range(width):
            i = j if j < half else j - half
            angle = pos / 10000.0 ** (2 * i / width)
            if is_marian:
                angle = (torch.tensor(pos, dtype=torch.float32) * frequencies[i]).item()
            table[pos, j] = math.sin(angle) if j < half else math.cos(angle)
    return table


class Marian:
    """A model: `config` as in config.json, `tensors` name -> float64 tensor as in model.safetensors."""

    def __init__(self, config, tensors):
        self.config, self.tensors = config, tensors
        self.notes = {}  # every tensor of the last pass, by the module that made it
        self.activation = ACTIVATIONS[config['activation_function']]
        self.scale = math.sqrt(config['d_model']) if config['scale_embedding'] else 1.0
        if config['share_encoder_decoder_embeddings']:
            self.embedding = {s: tensors['model.shared.weight'] for s in ('encoder', 'decoder')}
        else:
            self.embedding = {s: tensors[f'model.{s}.embed_tokens.weight'] for s in ('encoder', 'decoder')}
        self.output = self.embedding['decoder'] if config['tie_word_embeddings'] else tensors['lm_head.weight']
        table = sinusoids(config['max_position_embeddings'], config['d_model'], config.get('positions') == 'marian')
        self.positions = {s: tensors.get(f'model.{s}.embed_positions.weight', table) for s in ('encoder', 'decoder')}

    def note(self, name, value):
        self.notes[name.removeprefix('model.')] = value
        return value

    def linear(self, x, name):
        return F.linear(x, self.tensors[name + '.weight'], self.tensors[name + '.bias'])

    def norm(self, x, name):
        gain, bias = self.tensors[name + '.weight'], self.tensors[name + '.bias']
        return F.layer_norm(x, (x.shape[-1],), gain, bias, self.config.get('layer_norm_eps', EPSILON))

    def embed(self, stack, ids):
        """[n, D]"""
        embedding, positions = self.embedding[stack][torch.tensor(ids)] * self.scale, self.positions[stack][:len(ids)]
        x = self.note(f'{stack}.input', embedding + positions)
        self.note(f'{stack}.embedding', embedding)
        self.note(f'{stack}.positions', positions)
        return self.norm(x, f'model.{stack}.layernorm_embedding') if self.config['normalize_embedding'] else x

    def attention(self, x, memory, name, heads, causal, disabled):
        """Multi-head attention of x [T, D] over memory [S, D]: output [T, D], maps [H, T, S].

        A head in `disabled` puts zeros where its part of the concatenation would be; its map stays a softmax.
        """
        split = lambda y: y.view(len(y), heads, -1).transpose(0, 1)  # [H, n, Dh]
        q, k, v = (split(self.note(f'{name}.{p}', self.linear(y, f'{name}.{p}_proj')))
                   for p, y in (('q', x), ('k', memory), ('v', memory)))
        scores = q @ k.transpose(1, 2) / math.sqrt(q.shape[-1])
        if causal:
            scores = scores.masked_fill(torch.ones(scores.shape[1:]).triu(1).bool(), -math.inf)
        self.note(f'{name}.scores', scores)
        maps = self.note(f'{name}.weights', scores.softmax(-1))
        context = self.drop(maps, name) @ v
        for head in disabled:
            context[head] = 0
        context = self.note(f'{name}.context', context.transpose(0, 1).reshape(len(x), -1))
        return self.note(f'{name}.output', self.linear(context, f'{name}.out_proj')), maps

    def ssru(self, x, name):
        """The recurrent unit of Kim et al. 2019: x [T, D], token after token."""
        candidate = self.note(f'{name}.candidate', F.linear(x, self.tensors[f'{name}.candidate.weight']))
        forget = self.note(f'{name}.forget', self.linear(x, f'{name}.forget').sigmoid())
        cells, cell = [], torch.zeros_like(x[0])
        for f, u in zip(forget, candidate):
            cell = f * cell + (1 - f) * u
            cells.append(cell)
        return self.note(f'{name}.output', self.note(f'{name}.cell', torch.stack(cells)).relu())

    def drop(self, maps, name):
        """What values are mixed by: the maps, unless training drops some of their weights."""
        return maps

    def residual(self, x, norm, sublayer):
        """x + sublayer(x), normalised before the sublayer or after the sum."""
        if self.config['normalize_before']:
            return x + sublayer(self.note(norm, self.norm(x, norm)))
        return self.note(norm, self.norm(x + sublayer(x), norm))

    def feed_forward(self, x, name):
        hidden = self.note(name + '.fc1', self.activation(self.linear(x, name + '.fc1')))
        return self.note(name + '.fc2', self.linear(hidden, name + '.fc2'))

    def final(self, x, stack):
        is_normed = self.config['add_final_layer_norm']
        return self.note(f'{stack}.output', self.norm(x, f'model.{stack}.layer_norm') if is_normed else x)

    def encode(self, source, disabled=()):
        """Encoder output [S, D] and attention maps [L, H, S, S]."""
        heads, maps = self.config['encoder_attention_heads'], []
        x = self.embed('encoder', source)
        for layer in range(self.config['encoder_layers']):
            name = f'model.encoder.layers.{layer}'
            off = switched_off(disabled, 'encoder', layer)

            def attend(y):
                out, probs = self.attention(y, y, name + '.self_attn', heads, False, off)
                maps.append(probs)
                return out

            x = self.residual(x, name + '.self_attn_layer_norm', attend)
            x = self.residual(x, name + '.final_layer_norm', lambda y: self.feed_forward(y, name))
        return self.final(x, 'encoder'), torch.stack(maps)

    def decode(self, memory, ids, disabled=()):
        """Logits [T, V] and the maps [L, H, T, T], [L, H, T, S] of the decoder over its input ids."""
        heads, maps, cross = self.config['decoder_attention_heads'], [], []
        x = self.embed('decoder', ids)
        for layer in range(self.config['decoder_layers']):
            name = f'model.decoder.layers.{layer}'

            def attend(y):
                off = switched_off(disabled, 'decoder', layer)
                out, probs = self.attention(y, y, name + '.self_attn', heads, True, off)
                maps.append(probs)
                return out

            def look_back(y):
                off = switched_off(disabled, 'cross', layer)
                out, probs = self.attention(y, memory, name + '.encoder_attn', heads, False, off)
                cross.append(probs)
                return out

            if self.config.get('decoder_cell') == 'ssru':
                x = self.residual(x, name + '.ssru_layer_norm', lambda y: self.ssru(y, name + '.ssru'))
            else:
                x = self.residual(x, name + '.self_attn_layer_norm', attend)
            x = self.residual(x, name + '.encoder_attn_layer_norm', look_back)
            x = self.residual(x, name + '.final_layer_norm', lambda y: self.feed_forward(y, name))
        logits = self.final(x, 'decoder') @ self.output.T
        if 'final_logits_bias' in self.tensors:
            logits = logits + self.tensors['final_logits_bias']
        return logits, torch.stack(maps) if maps else torch.zeros(0, 0, len(ids), len(ids)), torch.stack(cross)

    def forward(self, source, target, disabled=()):
        """The teacher-forced pass: the decoder reads the start token and target[:-1], row t predicts target[t]."""
        output, encoder = self.encode(source, disabled)
        logits, decoder, cross = self.decode(output, [self.config['decoder_start_token_id']] + target[:-1], disabled)
        log_probs = logits.log_softmax(-1)[torch.arange(len(target)), torch.tensor(target)]
        return {'output': output, 'encoder': encoder, 'decoder': decoder, 'cross': cross, 'logits': logits,
                'log_probs': log_probs}


def switched_off(disabled, stack, layer):
    return [d['head'] for d in disabled if d['stack'] == stack and d['layer'] == layer]
