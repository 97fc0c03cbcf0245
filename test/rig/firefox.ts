import playwright, { type Browser, firefox } from 'playwright-core';
import { findProgram } from './debian-program.ts';
import { atEnd } from './ending.ts';

let shared: Promise<Browser> | undefined;

/** A real Firefox, the machine's or Debian's, without a window, driven by WebDriver BiDi; one for the whole run. */
export function sharedFirefox(): Promise<Browser> {
  shared ??= launch();
  return shared;
}

async function launch(): Promise<Browser> {
  const { command, env } = await findProgram({ package: 'firefox-esr', file: 'usr/lib/firefox-esr/firefox-esr' });
  const variables = Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
  const browser = await firefox.launch({
    // Not the build that Playwright patched, but what people have.
    channel: 'moz-firefox',
    executablePath: command,
    env: Object.fromEntries(variables),
  });
  atEnd(() => browser.close());
  keepMedia(browser);
  return browser;
}

/**
 * Playwright asks each new context for a colour scheme, by a command that Debian's Firefox does not know yet: it answers as if
 * it had. There is no option for that, so this reaches behind the interface.
 */
function keepMedia(browser: Browser): void {
  const inside: object = Reflect.get(playwright, '_connection').toImpl(browser);
  const session: { send(method: string, params: unknown): Promise<unknown> } = Reflect.get(inside, '_browserSession');
  const send = session.send.bind(session);
  session.send = async (method, params) =>
    method === 'emulation.setMediaFeaturesOverride' ? {} : send(method, params);
}
