import { nonceMark } from '../infrastructure/asset.ts';

/**
 * What the page of the web client may do: no script or style but those that it names, no connection but to this site, and
 * no text that becomes HTML by accident (Trusted Types).
 * @param appsOrigin where apps are served, when that is not here
 */
export function contentPolicy(appsOrigin: string | null): string {
  return [
    "default-src 'none'",
    `script-src 'nonce-${nonceMark}'`,
    `style-src 'nonce-${nonceMark}'`,
    "img-src 'self' https: blob:",
    "connect-src 'self'",
    `frame-src 'self'${appsOrigin ? ` ${appsOrigin}` : ''}`,
    "worker-src 'none'",
    "object-src 'none'",
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');
}
