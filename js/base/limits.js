// limits.js - what heed refuses or cuts because it is too much, and how much it takes at a time. Those of the C core
// are in constants.js. Used by all rooms.

/** Tokens of a sentence. Models learn few longer ones, and what they make of those is poor: longer ones are split. */
export const MAX_SENTENCE = 128;
/** Tokens of a sequence, for models whose positions have no longest: T5's, and sinusoids that are computed. */
export const MAX_OPEN_POSITIONS = 4096;
/** Sentences decoded together by default: more gains little, and costs memory. */
export const BATCH = 32;
/** Workers of a translator; those that it starts unless it is told how many, and bytes that they may take together. */
export const MAX_WORKERS = 64;
export const GROWN_WORKERS = 4;
export const GROWN_BYTES = 2 ** 30;
/** Sentences of a call for each worker at least: a batch of fewer is slow. */
export const SHARE = 8;
/** Sentences of a stream that pass the first of two steps together: more delay the first word. */
export const AHEAD = 8;
/** Spans of a sentence that pass through and are placed one by one. With more, the text between them is translated. */
export const MAX_PLACED = 4;
/** Of a request to `heed serve`: bytes of its body, and alternatives that it may ask for. */
export const MAX_REQUEST_BYTES = 1 << 20;
export const MAX_ALTERNATIVES = 9;
/** Requests that `heed serve` takes at the same time, and translators that it keeps, unless it is told otherwise. */
export const REQUESTS = 512;
export const LOADED = 8;
/** Seconds for a request, and for the last answers to arrive when the server stops. */
export const REQUEST_SECONDS = 60;
export const GRACE_SECONDS = 5;
/** Letters of a page that are translated in one call, of what is visible and of the rest; calls at the same time. */
export const PAGE_CALL_VISIBLE = 600;
export const PAGE_CALL = 2000;
export const MAX_PAGE_CALLS = 2;
/** Texts of a page whose translations are kept, and text nodes by which copies of them are known. */
export const MAX_PAGE_TEXTS = 5000;
export const MAX_OUTPUTS = 5000;
/** Sentences of HTML whose translations are kept. With its attention the longest one takes 131 kB. */
export const MAX_KNOWN = 1000;
/** Milliseconds of work on a page at a time, and blocks whose language is set then. */
export const PAGE_SLICE = 8;
export const PAGE_BLOCKS = 50;
/** Milliseconds until a text that changes often is translated again, at first and at most. */
export const CHANGE_DELAY = 30;
export const MAX_CHANGE_DELAY = 4000;
/** Numbers that one inspect() gives. */
export const MAX_INSPECTED = 2 ** 29;

/** Bytes of the header of a safetensors file, as of the format's own reader. */
export const MAX_SAFETENSORS_HEADER = 100_000_000;
/** Files of weights in shards: a model of 600 GB has some 200. */
export const MAX_SHARDS = 1000;
/** Bytes of the pickle of a PyTorch state: one of ten thousand tensors takes 2 MB. */
export const MAX_PICKLE = 1 << 23;
/** Bytes of the directory of a zip archive: that of a state of a thousand tensors takes some 100 kB. */
export const MAX_ZIP_DIRECTORY = 1 << 24;
/** Bytes of the header of a NumPy array: those of plain arrays take 128. */
export const MAX_NUMPY_HEADER = 1 << 16;
/** Bytes of the settings that Marian writes into a file of weights. */
export const MAX_MARIAN_SETTINGS = 1 << 20;
/** Items of Marian's .bin, and bytes of their names and shapes: a model of 16 layers has some 600, of 20 kB. */
export const MAX_MARIAN_ITEMS = 10_000;
export const MAX_MARIAN_HEADER = 1 << 20;
/** Of one of them: bytes of its name, dimensions, numbers. */
export const MAX_MARIAN_NAME = 1024;
export const MAX_MARIAN_RANK = 4;
export const MAX_MARIAN_ELEMENTS = 2 ** 31 - 1;
/** Bytes of the content of a packed file, which may be a thousand times as many as the file's. */
export const MAX_UNPACKED = 2 ** 30;
/** Bytes of what a file has for one language. */
export const MAX_PART = 2 ** 27;
/** Bytes of the window of a file in Zstandard: what the program zstd allows unless it is told otherwise. */
export const MAX_WINDOW = 2 ** 27;

/**
 * A model takes so many times the bytes of its file, and so many more: int8 may become float32, and positions are
 * computed. A few bytes of config.json cannot ask for 4 GB.
 */
export const MAX_GROWTH = 5;
export const MAX_EXTRA = 1 << 26;

/** Characters of a piece that merges make: the time to check its merges grows with the square. */
export const MAX_MERGED = 1000;
/** Sentences that one ICU message becomes; one with more keeps its cases apart. */
export const MAX_CASES = 64;
/** Cues that one sentence of subtitles may cross. */
export const MAX_CUES = 8;

/** Bytes read, copied or hashed at a time: what is held beside the weights stays small. */
export const CHUNK = 1 << 18;
