"""muon.py - Muon as ../muon.h says: torch.optim.Muon with adjust_lr_fn 'match_rms_adamw' and without weight decay.

torch.optim.Muon updates one matrix after another, by some thirty small products each. Here all matrices of a shape are
one batch. Used by train.py.
"""
import math

import torch

A, B, C = 3.4445, -4.775, 2.0315  # Newton and Schulz's iteration, five turns


class Muon(torch.optim.Optimizer):
    """dtype: that of the iteration."""

    def __init__(self, matrices, momentum, dtype):
        super().__init__(matrices, {'lr': 0.0, 'momentum': momentum})
        self.dtype = dtype

    def orthogonal(self, matrices):
        """[N, rows, cols]"""
        x = matrices.to(self.dtype)
        x = x.mT if x.shape[1] > x.shape[2] else x
        x = x / x.norm(dim=(1, 2), keepdim=True).clamp(min=1e-7)
        for _ in range(5):
            gram = x @ x.mT
            x = torch.baddbmm(x, torch.baddbmm(gram, gram, gram, beta=B, alpha=C), x, beta=A)
        return x.mT if matrices.shape[1] > matrices.shape[2] else x

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            by_shape = {}
            for matrix in group['params']:
                by_shape.setdefault(matrix.shape, []).append(matrix)
            for shape, matrices in by_shape.items():
                gradients = torch.stack([matrix.grad for matrix in matrices])
                state = self.state[matrices[0]]
                mean = state.setdefault('momentum', torch.zeros_like(gradients))
                mean.lerp_(gradients, 1 - group['momentum'])
                updates = self.orthogonal(gradients.lerp(mean, group['momentum'])).float()
                size = group['lr'] * 0.2 * math.sqrt(max(shape))
                torch._foreach_add_(matrices, list(updates.unbind()), alpha=-size)
