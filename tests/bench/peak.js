// peak.js - the most resident memory that this process had; used by once.js and firefox-engine.js.
import { existsSync, readFileSync } from 'node:fs';

/** Linux knows the peak of this program alone; that of resourceUsage(), for elsewhere, may begin at the parent's. */
export function peak() {
  if (!existsSync('/proc/self/status')) return process.resourceUsage().maxRSS * 1024;
  return 1024 * Number(readFileSync('/proc/self/status', 'utf8').match(/VmHWM:\s*(\d+)/)[1]);
}
