"""model.py - the model that heed-train trains, in PyTorch: a Transformer in the layout of MarianMT, norms after the
sublayers or (normalize_before) before them and (add_final_layer_norm) after each stack, as in Pegasus.

Parameters have the names of the file, `model.encoder.layers.0.self_attn.q_proj.weight`, so that state_dict() is
model.safetensors. Batches are padded: ids [B, S]; masks are true where a token is. Used by train.py.
"""
import math

import torch
import torch.nn.functional as F
from torch import nn

# heed-train's numbers are their indices
ACTIVATIONS = {'relu': F.relu, 'gelu': F.gelu, 'swish': F.silu, 'gelu_new': lambda x: F.gelu(x, approximate='tanh')}


def sinusoids(length, width):
    """[length, width]: sines in the first half, cosines in the second."""
    rates = 10000.0 ** (-2 * torch.arange(width // 2, dtype=torch.float64) / width)
    angles = torch.arange(length, dtype=torch.float64)[:, None] * rates
    return torch.cat([angles.sin(), angles.cos()], 1).float()


class Attention(nn.Module):
    def __init__(self, width, heads, dropout):
        super().__init__()
        self.heads, self.dropout = heads, dropout
        self.q_proj, self.k_proj, self.v_proj, self.out_proj = (nn.Linear(width, width) for _ in range(4))

    def split(self, x):
        return x.unflatten(-1, (self.heads, -1)).transpose(1, 2)

    def forward(self, x, memory, mask=None, causal=False, guided=None):
        """x [B, T, D], memory [B, S, D], mask [B, 1, 1, S]. guided: a head whose log-probabilities are returned too."""
        q, k, v = self.split(self.q_proj(x)), self.split(self.k_proj(memory)), self.split(self.v_proj(memory))
        mixed = F.scaled_dot_product_attention(q, k, v, mask, self.dropout if self.training else 0.0, causal)
        log_probs = None
        if guided is not None:
            scores = (q[:, guided] @ k[:, guided].transpose(1, 2)).float() / math.sqrt(q.shape[-1])
            log_probs = scores.masked_fill(~mask[:, 0], -1e9).log_softmax(-1)
        return self.out_proj(mixed.transpose(1, 2).flatten(2)), log_probs


class Layer(nn.Module):
    def __init__(self, config, stack):
        super().__init__()
        width, inner = config['d_model'], config[f'{stack}_ffn_dim']
        heads, dropout = config[f'{stack}_attention_heads'], config['attention_dropout']
        self.dropout, self.activation = config['dropout'], config['activation_function']
        self.normalize_before = config['normalize_before']
        self.self_attn = Attention(width, heads, dropout)
        self.self_attn_layer_norm = nn.LayerNorm(width)
        if stack == 'decoder':
            self.encoder_attn = Attention(width, heads, dropout)
            self.encoder_attn_layer_norm = nn.LayerNorm(width)
        self.fc1, self.fc2 = nn.Linear(width, inner), nn.Linear(inner, width)
        self.final_layer_norm = nn.LayerNorm(width)

    def drop(self, x):
        return F.dropout(x, self.dropout, self.training)

    def add(self, x, norm, sublayer):
        """x + f(norm(x)), or norm(x + f(x)); and what f returns besides."""
        y, more = sublayer(norm(x) if self.normalize_before else x)
        x = x + self.drop(y)
        return (x if self.normalize_before else norm(x)), more

    def feed_forward(self, x):
        return self.fc2(ACTIVATIONS[self.activation](self.fc1(x))), None

    def forward(self, x, mask=None, memory=None, memory_mask=None, guided=None):
        is_decoder, log_probs = memory is not None, None
        x, _ = self.add(x, self.self_attn_layer_norm, lambda x: self.self_attn(x, x, mask, causal=is_decoder))
        if is_decoder:
            x, log_probs = self.add(x, self.encoder_attn_layer_norm,
                                    lambda x: self.encoder_attn(x, memory, memory_mask, guided=guided))
        return self.add(x, self.final_layer_norm, self.feed_forward)[0], log_probs


class Stack(nn.Module):
    def __init__(self, config, stack):
        super().__init__()
        self.layers = nn.ModuleList(Layer(config, stack) for _ in range(config[f'{stack}_layers']))
        if config['add_final_layer_norm']:
            self.layer_norm = nn.LayerNorm(config['d_model'])

    def last(self, x):
        """After the last layer."""
        return self.layer_norm(x) if hasattr(self, 'layer_norm') else x


class Both(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.shared = nn.Embedding(config['vocab_size'], config['d_model'])
        self.encoder, self.decoder = Stack(config, 'encoder'), Stack(config, 'decoder')


class Marian(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.config = config
        self.model = Both(config)
        self.register_buffer('positions', sinusoids(config['max_position_embeddings'], config['d_model']), False)
        for name, value in self.named_parameters():
            if 'shared' in name:
                nn.init.normal_(value, std=config['d_model'] ** -0.5)
            elif value.dim() == 2:
                nn.init.xavier_uniform_(value)
            elif name.endswith('bias'):
                nn.init.zeros_(value)

    def embed(self, ids):
        x = self.model.shared(ids) * math.sqrt(self.config['d_model']) + self.positions[:ids.shape[1]]
        return F.dropout(x, self.config['dropout'], self.training)

    def forward(self, source, target, guided=None):
        """source [B, S], target [B, T], padded with the pad id. Returns logits [B, T, V], and the log-probabilities of
        head `guided` of the last decoder layer over the source [B, T, S]."""
        config = self.config
        mask = (source != config['pad_token_id'])[:, None, None, :]
        x = self.embed(source)
        for layer in self.model.encoder.layers:
            x, _ = layer(x, mask)
        memory = self.model.encoder.last(x)
        start = torch.full_like(target[:, :1], config['decoder_start_token_id'])
        x, log_probs = self.embed(torch.cat([start, target[:, :-1]], 1)), None
        layers = self.model.decoder.layers
        for i, layer in enumerate(layers):
            x, log_probs = layer(x, None, memory, mask, guided if i == len(layers) - 1 else None)
        return F.linear(self.model.decoder.last(x), self.model.shared.weight), log_probs
