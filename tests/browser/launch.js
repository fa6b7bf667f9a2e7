// launch.js - finds an installed browser and opens one page in it, headless, with a profile of its own that is gone
// afterwards; used by hosts.js, which waits for what the page reports by itself (no driver is needed, stock browsers
// do), and where Chromium is driven.
import { spawn } from 'node:child_process';
import { accessSync, constants, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

/** Root may not use Chromium's sandbox; all pages are ours. */
const SANDBOX = process.getuid?.() === 0 ? ['--no-sandbox'] : [];

/** No first-run pages, nothing that asks the network by itself. */
const FIREFOX = {
  'app.normandy.enabled': false,
  'app.update.disabledForTesting': true,
  'browser.aboutwelcome.enabled': false,
  'browser.safebrowsing.downloads.enabled': false,
  'browser.safebrowsing.malware.enabled': false,
  'browser.safebrowsing.phishing.enabled': false,
  'browser.shell.checkDefaultBrowser': false,
  'browser.startup.homepage_override.mstone': 'ignore',
  'datareporting.policy.dataSubmissionEnabled': false,
  'extensions.getAddons.cache.enabled': false,
  'extensions.update.enabled': false,
  'marionette.port': 0, // any that is free, if a flag asks for it
  'network.captive-portal-service.enabled': false,
  'network.connectivity-service.enabled': false,
  'toolkit.telemetry.reportingpolicy.firstRun': false,
};

const BROWSERS = {
  chromium: {
    names: ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'],
    args: (profile, url, flags) => [
      '--headless', ...SANDBOX, '--disable-gpu', '--disable-quic', '--disable-dev-shm-usage', '--no-first-run',
      '--no-default-browser-check', '--disable-background-networking', '--disable-component-update', '--disable-sync',
      `--user-data-dir=${profile}`, ...flags, url,
    ],
  },
  firefox: {
    names: ['firefox-esr', 'firefox'],
    args(profile, url, flags) {
      const lines = Object.entries(FIREFOX).map(([name, value]) => `user_pref("${name}", ${JSON.stringify(value)});\n`);
      writeFileSync(join(profile, 'user.js'), lines.join(''));
      return ['--headless', '--no-remote', '--profile', profile, ...flags, url];
    },
  },
  // WebKitGTK's own small browser, which Debian puts beside its library; it has no headless mode
  webkit: {
    names: ['MiniBrowser'],
    display: 'xvfb-run',
    args: (profile, url) => [url],
  },
};

/** Where programs are that are not for people. @returns {string[]} */
function libraryFolders() {
  const list = (folder) => {
    try {
      return readdirSync(folder).map((name) => join(folder, name));
    } catch {
      return [];
    }
  };
  return list('/usr/lib').filter((folder) => /-linux-gnu/.test(folder)).flatMap(list)
    .filter((folder) => /\/webkit2?gtk-/.test(folder)).sort().reverse();
}

const isProgram = (path) => {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};

/** @param {string[]} names @param {string[]} [more]  folders */
const findProgram = (names, more = []) => {
  const folders = [...String(process.env.PATH).split(delimiter), ...more];
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find(isProgram);
};

/**
 * Path of an installed browser, or undefined. CHROMIUM, FIREFOX and WEBKIT in the environment name others.
 *
 * @param {'chromium' | 'firefox' | 'webkit'} kind
 */
export function findBrowser(kind) {
  const { names, display } = BROWSERS[kind];
  if (display && !findProgram([display])) return undefined;
  return process.env[kind.toUpperCase()] || findProgram(names, libraryFolders());
}

/**
 * Open `url`. `close` ends the browser and all its processes; `failed` rejects if it ends before, with what it said.
 *
 * @param {'chromium' | 'firefox' | 'webkit'} kind
 * @param {string} program  of findBrowser()
 * @param {string} url
 * @param {string[]} [flags]  more of Chromium's or Firefox's
 */
export function launch(kind, program, url, flags = []) {
  const profile = mkdtempSync(join(tmpdir(), `heed-${kind}-`));
  // a group of its own, so that its helpers end with it; HOME: what a browser keeps outside its profile goes too
  const { args, display } = BROWSERS[kind];
  const command = [...(display ? [display, '-a'] : []), program, ...args(profile, url, flags)];
  const browser = spawn(command[0], command.slice(1), {
    detached: true,
    env: {
      ...process.env,
      HOME: profile,
      XDG_CACHE_HOME: join(profile, 'cache'),
      XDG_DATA_HOME: join(profile, 'data'),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [browser.stdout, browser.stderr]) stream.on('data', (data) => (said += data));
  const ended = new Promise((resolve) => {
    browser.on('error', resolve);
    browser.on('close', (code) => resolve(new Error(`ended with ${code}`)));
  });
  const kill = (/** @type {'SIGKILL' | 'SIGTERM'} */ signal) => {
    try {
      process.kill(-browser.pid, signal);
    } catch {
      // it has ended by itself
    }
  };
  const killAtExit = () => kill('SIGKILL');
  process.on('exit', killAtExit);
  return {
    /** Of its processes. */
    group: Number(browser.pid),
    profile,
    failed: ended.then((error) => {
      throw new Error(`${program}: ${error.message}\n${said.slice(-2000)}`);
    }),
    async close() {
      // a display leaves its lock behind unless it is asked to end
      if (display) {
        kill('SIGTERM');
        await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, 3000).unref())]);
      }
      kill('SIGKILL');
      await ended;
      process.off('exit', killAtExit);
      rmSync(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
    },
  };
}
