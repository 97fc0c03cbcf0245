/**
 * Headers of all that comes from apps (contract §8). `sandbox` without `allow-same-origin` gives their pages an origin
 * of their own that shares nothing with this site: no cookies, no storage, no signed-in requests. For such an origin
 * everything is foreign, also the app's own scripts and data, so those have to be readable from anywhere.
 */
export const isolation = {
  'Content-Security-Policy': 'sandbox allow-scripts allow-forms allow-popups',
  'X-Content-Type-Options': 'nosniff',
  'Cross-Origin-Resource-Policy': 'cross-origin',
  'Cross-Origin-Opener-Policy': 'unsafe-none',
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': '*',
  'Referrer-Policy': 'no-referrer',
  // Apps are shown in frames of chat clients, wherever those come from.
  'X-Frame-Options': null,
} as const;
