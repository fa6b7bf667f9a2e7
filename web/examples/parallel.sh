#!/bin/sh
# Translates a file, or what is piped in, on all processors: one process each, lines in order.
#
#     web/examples/parallel.sh --from en --to de < corpus.en > corpus.de
cd "$(dirname "$0")/../.." || exit 1
exec parallel --pipe --keep-order -N 500 node js/cli.js translate "$@"
