"""Greedy and beam search in plain Python: what heed's search is compared with on these models. Used by models.py.

The decoder is run from scratch at every step and for every hypothesis. It is Hugging Face's search (5.23) as far as these
cases need it; all its settings are in hf/, where transformers itself made the cases. Beams add up log-probabilities of
the model's own logits: a forbidden token is never chosen, but the others do not share its probability. In greedy search
they do. The start token and the prefix count in the rules, and in neither the score nor its length.

Beam search, early_stopping=False: of each step's 2N best continuations, one that ends in </s> is finished if it is among
the N best, the best N others live on; the search ends when N are finished and the best living one, at its present
length, would not score better than the worst of them. At the greatest length the N best end.

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
    """Which tokens may not come next. The first `prompt` ids, the start token and the prefix, are not new."""

    def __init__(self, eos, bad_words, min_tokens, no_repeat_ngram, prompt):
        self.eos, self.bad_words, self.min_tokens = eos, bad_words, min_tokens
        self.ngram, self.prompt = no_repeat_ngram, prompt

    def forbidden(self, ids):
        out = set()
        if len(ids) - self.prompt < self.min_tokens:
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
    prompt, margin = [model.config['decoder_start_token_id'], *prefix], Margin()
    memory, _ = model.encode(source, disabled)
    rules = Rules(eos, bad_words, minTokens, noRepeatNgram, len(prompt))

    def allowed(ids):
        """(log-probability, token) of all that may follow."""
        logits, no = model.decode(memory, ids, disabled)[0][-1].clone(), sorted(rules.forbidden(ids))
        row = logits.log_softmax(-1)
        if beams == 1:
            logits[no] = -math.inf
            row = logits.log_softmax(-1)
        return [(value, token) for token, value in enumerate(row.tolist()) if token not in no]

    def hypothesis(ids, total, finished):
        return {'ids': ids[1:], 'logProb': total, 'score': total / (len(ids) - len(prompt)) ** lengthPenalty,
                'finished': finished}

    def rounded(h):
        """Without the digits that another order of summation may change."""
        return {**h, 'logProb': round(h['logProb'], 9), 'score': round(h['score'], 9)}

    if beams == 1:
        found = greedy(allowed, hypothesis, prompt, eos, maxTokens, margin)
    else:
        found = beam(allowed, hypothesis, prompt, eos, maxTokens, beams, ranks * beams, margin)
    for a, b in zip(found, found[1:nBest + 1]):
        margin.between(a['score'], b['score'])
    return [rounded(h) for h in found[:nBest]], margin.least


def greedy(allowed, hypothesis, ids, eos, max_tokens, margin):
    total = 0.0
    for _ in range(max_tokens):
        (best, token), second = sorted(allowed(ids), key=lambda c: (-c[0], c[1]))[:2]
        margin.between(best, second[0])
        ids, total = ids + [token], total + best
        if token == eos:
            return [hypothesis(ids, total, True)]
    return [hypothesis(ids, total, False)]


def beam(allowed, hypothesis, prompt, eos, max_tokens, n, ending_ranks, margin):
    live, finished = [(0.0, prompt)], []

    def keep(one):
        """Add to `finished`, which is sorted and holds n at most: the worst is dropped."""
        for other in finished:
            margin.between(one['score'], other['score'])
        finished.append(one)
        finished.sort(key=lambda h: -h['score'])
        del finished[n:]

    for new in range(1, max_tokens + 1):
        candidates = [(total + value, b, token) for b, (total, ids) in enumerate(live) for value, token in allowed(ids)]
        candidates.sort(key=lambda c: (-c[0], c[1], c[2]))
        for a, b in zip(candidates[:2 * n], candidates[1:2 * n + 1]):
            margin.between(a[0], b[0])
        survivors = []
        for rank, (total, b, token) in enumerate(candidates[:2 * n]):
            ids = live[b][1] + [token]
            if token != eos and new < max_tokens:
                survivors.append((total, ids))
            elif rank < (ending_ranks if token == eos else n):
                keep(hypothesis(ids, total, token == eos))
        live = survivors[:n]
        if live and len(finished) == n:
            bound = hypothesis(live[0][1], live[0][0], False)['score']
            margin.between(finished[-1]['score'], bound)
            if finished[-1]['score'] >= bound:
                break
    return finished
