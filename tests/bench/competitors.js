// competitors.js - installs what heed is measured against into tests/bench/node_modules; used by index.js and
// firefox.js.
import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const HERE = fileURLToPath(new URL('.', import.meta.url));

export function install() {
  const [wanted, installed] = [`${HERE}package-lock.json`, `${HERE}node_modules/.heed-lock`];
  if (existsSync(installed) && readFileSync(installed).equals(readFileSync(wanted))) return;
  console.log('Installing what heed is measured against (600 MB) into tests/bench/node_modules');
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  execFileSync('npm', ['ci', ...options], { cwd: HERE, stdio: 'inherit' });
  copyFileSync(wanted, installed);
}
