import type { Language } from '../../../contract/languages.ts';

/** What a session records about the origin of a request. */
export interface Device {
  ip: string;
  userAgent: string | null;
  deviceName: string | null;
  /** What its last sign-in gave it (see KnownDevices). */
  token?: string | undefined;
  /** What it asks for, of mails to those who have chosen none. */
  language?: Language | null;
}

/** Products in user agents, and their common names; the first match counts. */
const programs: [RegExp, string][] = [
  [/\bEdg/, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bElectron\//, 'Desktop app'],
  [/\bFirefox\//, 'Firefox'],
  [/\b(Chrome|CriOS)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
  [/^(curl|okhttp|python-requests|node|undici|axios)\b/i, 'Program'],
];

const systems: [RegExp, string][] = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
];

/** A readable name of the device: the one it gave, else from its user agent (contract §13). */
export function nameOf({ deviceName, userAgent }: Device): string | null {
  if (deviceName || !userAgent) return deviceName;
  const find = (names: [RegExp, string][]) => names.find(([pattern]) => pattern.test(userAgent))?.[1];
  const [program, system] = [find(programs), find(systems)];
  if (program && system) return `${program} on ${system}`;
  return program ?? system ?? null;
}

/** The part of a request that a session records. @param token that the device brings, if any */
export const deviceOf = ({ ip, userAgent, deviceName, language }: Device, token?: string): Device => ({
  ip,
  userAgent,
  deviceName,
  token,
  language,
});
