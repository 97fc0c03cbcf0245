import { type Browser, chromium } from 'playwright-core';
import { findProgram } from './debian-program.ts';
import { atEnd } from './ending.ts';

let shared: Promise<Browser> | undefined;

/** A real Chromium, the machine's or Debian's, without a window; one for the whole run. */
export function sharedChromium(): Promise<Browser> {
  shared ??= launch();
  return shared;
}

async function launch(): Promise<Browser> {
  const wanted = {
    package: 'chromium',
    file: 'usr/lib/chromium/chromium',
  };
  const { command, env } = await findProgram(wanted);
  const variables = Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
  const browser = await chromium.launch({
    executablePath: command,
    env: Object.fromEntries(variables),
    // Tests may run as root, and in containers with little shared memory.
    args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu'],
  });
  atEnd(() => browser.close());
  return browser;
}
