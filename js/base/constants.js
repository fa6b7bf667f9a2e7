// constants.js - the numbers that the C core and JavaScript share, by their names without HEED_. Made by
// js/make-constants.mjs from the headers named below: change those, then `make constants`.

// src/base/status.h
export const OK = 0;
export const E_ARGUMENT = 1;
export const E_MEMORY = 2;
export const E_ID = 3;
export const E_LENGTH = 4;
export const E_STATE = 5;
export const E_WASM = 6;
export const E_FILE = 10;
export const E_JSON = 11;
export const E_CONFIG = 12;
export const E_SAFETENSORS = 13;
export const E_TENSOR_MISSING = 14;
export const E_TENSOR_UNKNOWN = 15;
export const E_TENSOR_SHAPE = 16;
export const E_TENSOR_DTYPE = 17;
export const E_TENSOR_VALUE = 18;
export const E_HASH = 19;
export const E_SPM = 20;
export const E_VOCAB = 21;
export const E_TOKENIZER = 22;
export const E_LANGUAGE = 23;
export const E_DIVERGED = 30;

// src/base/kinds.h
export const RELU = 0;
export const GELU = 1;
export const SWISH = 2;
export const GELU_NEW = 3;
export const F32 = 0;
export const F16 = 1;
export const BF16 = 2;
export const I8 = 3;
export const SELF_ATTENTION = 0;
export const SSRU = 1;
export const LAYER_NORM = 0;
export const RMS_NORM = 1;
export const POSITIONS_HF = 0;
export const POSITIONS_MARIAN = 1;
export const POSITIONS_FAIRSEQ = 2;
export const POSITIONS_NONE = 3;
export const QUANTIZE_ROWS = 0;
export const QUANTIZE_ROWS8 = 1;
export const QUANTIZE_FIXED = 2;
export const QUANTIZE_SATURATING = 3;
export const WEIGHT = 0;
export const SCALE = 1;
export const ALPHA = 2;
export const PIECE_NORMAL = 1;
export const PIECE_UNKNOWN = 2;
export const PIECE_CONTROL = 3;
export const PIECE_USER_DEFINED = 4;
export const PIECE_UNUSED = 5;
export const PIECE_BYTE = 6;
export const MAX_WIDTH = 65536;
export const MAX_LAYERS = 256;
export const MAX_VOCABULARY = 16777216;
export const MAX_POSITIONS = 65536;
export const MAX_BUCKETS = 65536;
export const MAX_LENGTH = 1048576;
export const MAX_BEAMS = 64;
export const MAX_BATCH = 1024;
export const MAX_RULE_IDS = 4096;
export const MAX_RULE_SETS = 8;

// src/layers/positions.h
export const POSITIONS_INTERLEAVED = 0;
export const POSITIONS_HALVES = 1;
export const POSITIONS_MARIAN_HALVES = 2;

// src/heed.h
export const ENCODER = 0;
export const DECODER = 1;
export const CROSS = 2;
export const POINT_NAME_BYTES = 80;
export const EARLY_FALSE = 0;
export const EARLY_TRUE = 1;
export const EARLY_NEVER = 2;
export const PLACE_ANY = 0;
export const PLACE_FIRST = 1;
export const PLACE_LATER = 2;
export const PLACE_AFTER = 3;
export const LEXICON_INTS = 2048;
export const PRUNED = -1;
export const ENDED = -2;

// src/train/adam.h
export const SCHEDULE_INVERSE_SQRT = 0;
export const SCHEDULE_CONSTANT = 1;
export const SCHEDULE_COSINE = 2;

// src/train/trainer.h
export const OPTIMIZER_ADAM = 0;
export const OPTIMIZER_MUON = 1;
export const TRAIN_WEIGHTS = 0;
export const TRAIN_GRADIENTS = 1;
export const TRAIN_M = 2;
export const TRAIN_V = 3;

// Words by their number.
export const ACTIVATIONS = /** @type {const} */ (['relu', 'gelu', 'swish', 'gelu_new']);
export const DTYPES = /** @type {const} */ (['F32', 'F16', 'BF16', 'I8']);
/** Bytes of an element by its type. */
export const WIDTHS = [4, 2, 2, 1];
export const DECODER_CELLS = /** @type {const} */ (['self_attention', 'ssru']);
export const NORMS = /** @type {const} */ (['layer_norm', 'rms_norm']);
export const POSITIONS = /** @type {const} */ (['hf', 'marian', 'fairseq', 'none']);
export const QUANTIZERS = /** @type {const} */ (['rows', 'rows8', 'fixed', 'saturating']);
export const LAYOUTS = /** @type {const} */ (['interleaved', 'halves', 'marian-halves']);
export const STACKS = /** @type {const} */ (['encoder', 'decoder', 'cross']);
export const SCHEDULES = /** @type {const} */ (['inverse-sqrt', 'constant', 'cosine']);
export const OPTIMIZERS = /** @type {const} */ (['adam', 'muon']);
