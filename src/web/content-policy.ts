import { nonceMark } from '../infrastructure/page-nonce.ts';

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

/**
 * A page that shows the HTML it is handed by the page around it, such as a server's home page: with an origin of its own
 * (`sandbox` without `allow-same-origin`), so that whatever is in there gets at nothing of this site. It is handed over
 * by a message because the page around it may not make HTML of text, not even for a frame.
 */
export const stagePage = `<!doctype html>
<meta charset="utf-8">
<title>Home page</title>
<script>
addEventListener('message', (event) => {
  if (event.source !== parent || typeof event.data !== 'string') return;
  document.open();
  document.write(event.data);
  document.close();
}, { once: true });
parent.postMessage('ready', '*');
</script>
`;

export const stagePolicy = [
  'sandbox allow-scripts allow-forms allow-popups',
  "default-src https: data: blob: 'unsafe-inline'",
  "base-uri 'none'",
  "frame-ancestors 'self'",
].join('; ');
