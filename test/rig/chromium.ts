import { type Browser, chromium } from 'playwright-core';
import { findProgram } from './debian-program.ts';
import { atEnd } from './ending.ts';

/**
 * Chromium makes two pages for its address bar in each window, which nobody sees here, and which take many times the
 * work of a page of ours.
 */
const addressBar = ['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup'];
/** What Playwright turns off: of several such lists the last one counts, and that is ours. */
const ofPlaywright = [
  'AimEnabled',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsFirstBalancedModeAutoEnable',
  'HttpsUpgrades',
  'LensOverlay',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'PaintHolding',
  'PreconnectToSearch',
  'ThirdPartyStoragePartitioning',
];
const turnedOff = `--disable-features=${[...addressBar, ...ofPlaywright].join()}`;

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
    args: [
      ...['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu', turnedOff],
      // A microphone that hears beeps; pages may use it once they are allowed to.
      '--use-fake-device-for-media-stream',
    ],
  });
  atEnd(() => browser.close());
  return browser;
}
