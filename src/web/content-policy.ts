/**
 * What the page of the web client may do: no script, style or connection but our own, and no text that becomes HTML by
 * accident (Trusted Types).
 * @param appsOrigin where apps are served, when that is not here
 */
export function contentPolicy(appsOrigin: string | null): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' https: blob:",
    "connect-src 'self'",
    `frame-src 'self'${appsOrigin ? ` ${appsOrigin}` : ''}`,
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');
}
