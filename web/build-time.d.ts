// build-time.d.ts - what build.js puts into sw.js.

/** A hash of all files. */
declare const VERSION: string;
/** Paths below that of the service worker; '' is the page. */
declare const FILES: string[];
