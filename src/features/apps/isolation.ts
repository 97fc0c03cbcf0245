/**
 * Headers of everything that apps serve (contract §8). `sandbox` without `allow-same-origin` gives their pages an opaque
 * origin that shares nothing with this site: no cookies, no storage, no signed-in requests. To such an origin everything is
 * cross-origin, even the app's own scripts and data, so those must be readable from anywhere.
 */
export const isolation = {
  'Content-Security-Policy': 'sandbox allow-scripts allow-forms allow-popups',
  'X-Content-Type-Options': 'nosniff',
  'Cross-Origin-Resource-Policy': 'cross-origin',
  'Cross-Origin-Opener-Policy': 'unsafe-none',
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': '*',
  'Referrer-Policy': 'no-referrer',
  // Apps are shown in frames of chat clients, wherever those are served from.
  'X-Frame-Options': null,
} as const;
