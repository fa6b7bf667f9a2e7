"""Greedy and beam search in plain Python: what heed's search is compared with. Used by models.py.

The decoder is run from scratch at every step and for every hypothesis. log-probabilities are log_softmax of the model's
own logits: a forbidden token is never chosen, but the others do not share its probability.

Beam search is Hugging Face's (BeamSearchScorer, early_stopping=False): of each step's 2N best continuations, one that
ends in </s> is finished if it is among the N best, the best N others live on; the search ends when N are finished and
no living one, at its present length, would score better than the worst of them.

Every comparison that decides something reports its margin, so that the cases kept can be far from ties.
"""
import math


class Margin:
    """The least distance of any two numbers whose order decided something."""

    def __init__(self):
        self.least = math.inf

    def between(self, a, b):
        if math.isfinite(a) and math.isfinite(b):
            self.least = min(self.least, abs(a - b))


class Rules:
    """Which tokens may not come next. Of the ids, the start token is not one and the prefix is."""

    def __init__(self, eos, bad_words, min_tokens, no_repeat_ngram, n_prefix):
        self.eos, self.bad_words, self.min_tokens = eos, bad_words, min_tokens
        self.ngram, self.n_prefix = no_repeat_ngram, n_prefix

    def forbidden(self, ids):
        out = set()
        if len(ids) - self.n_prefix < self.min_tokens:
            out.add(self.eos)
        for *before, last in self.bad_words:
            if len(before) <= len(ids) and ids[len(ids) - len(before):] == before:
                out.add(last)
        if self.ngram > 0:
            before = ids[len(ids) - self.ngram + 1:] if self.ngram > 1 else []
            for i in range(len(ids) - self.ngram + 1):
                if ids[i:i + self.ngram - 1] == before:
                    out.add(ids[i + self.ngram - 1])
        return out


def search(model, source, eos, bad_words=(), disabled=(), beams=1, lengthPenalty=1.0, nBest=1, maxTokens=1,
           minTokens=0, prefix=(), noRepeatNgram=0, ranks=1):
    """Hypotheses, best first, as {ids, logProb, score, finished}; and the least margin of the run.

    ranks=2 breaks a rule, for models.py to find sources that tell: </s> then ends a hypothesis from rank N on too.
    """
    prefix, margin = list(prefix), Margin()
    start = model.config['decoder_start_token_id']
    memory, _ = model.encode(source, disabled)
    rules = Rules(eos, bad_words, minTokens, noRepeatNgram, len(prefix))

    def log_probs(ids):
        """Of every token after `ids`: [V]."""
        return model.decode(memory, [start] + ids, disabled)[0][-1].log_softmax(-1).tolist()

    def allowed(ids):
        row, no = log_probs(ids), rules.forbidden(ids)
        return [(value, token) for token, value in enumerate(row) if token not in no]

    def hypothesis(ids, total, finished):
        return {'ids': ids, 'logProb': total, 'score': total / len(ids) ** lengthPenalty, 'finished': finished}

    def rounded(h):
        """Without the digits that another order of summation may change."""
        return {**h, 'logProb': round(h['logProb'], 9), 'score': round(h['score'], 9)}

    total = sum(log_probs(prefix[:i])[token] for i, token in enumerate(prefix))
    if beams == 1:
        found = greedy(allowed, hypothesis, prefix, total, eos, maxTokens, margin)
    else:
        found = beam(allowed, hypothesis, prefix, total, eos, maxTokens, beams, ranks * beams, margin)
    for a, b in zip(found, found[1:nBest + 1]):
        margin.between(a['score'], b['score'])
    return [rounded(h) for h in found[:nBest]], margin.least


def greedy(allowed, hypothesis, ids, total, eos, max_tokens, margin):
    for _ in range(max_tokens):
        (best, token), second = sorted(allowed(ids), key=lambda c: (-c[0], c[1]))[:2]
        margin.between(best, second[0])
        ids, total = ids + [token], total + best
        if token == eos:
            return [hypothesis(ids, total, True)]
    return [hypothesis(ids, total, False)]


def beam(allowed, hypothesis, prefix, total, eos, max_tokens, n, ending_ranks, margin):
    live, finished = [(total, prefix)], []

    def keep(one):
        """Add to `finished`, which is sorted and holds n at most: the worst is dropped."""
        for other in finished:
            margin.between(one['score'], other['score'])
        finished.append(one)
        finished.sort(key=lambda h: -h['score'])
        del finished[n:]

    for _ in range(max_tokens):
        candidates = [(total + value, b, token) for b, (total, ids) in enumerate(live) for value, token in allowed(ids)]
        candidates.sort(key=lambda c: (-c[0], c[1], c[2]))
        for a, b in zip(candidates[:2 * n], candidates[1:2 * n + 1]):
            margin.between(a[0], b[0])
        survivors = []
        for rank, (total, b, token) in enumerate(candidates[:2 * n]):
            ids = live[b][1] + [token]
            if token != eos:
                survivors.append((total, ids))
            elif rank < ending_ranks:
                keep(hypothesis(ids, total, True))
            if len(survivors) == n:
                break
        live = survivors
        if len(finished) == n:
            bound = hypothesis(live[0][1], candidates[0][0], False)['score']
            margin.between(finished[-1]['score'], bound)
            if finished[-1]['score'] >= bound:
                return finished
    for total, ids in live:
        keep(hypothesis(ids, total, False))
    return finished
