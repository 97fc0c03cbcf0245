import { nonceMark } from '../infrastructure/asset.ts';

/**
 * The policy of the web client's page: only its own scripts and styles, connections, pictures and sound only from this site, so
 * that no other host learns who looks, and no text that is parsed as HTML by accident (Trusted Types).
 * @param appsOrigin where apps are served, when it is another one
 * @param filesOrigin where clients are sent for files, if they are
 */
export function contentPolicy(appsOrigin: string | null, filesOrigin: string | null): string {
  const own = `'self'${filesOrigin ? ` ${filesOrigin}` : ''}`;
  return [
    "default-src 'none'",
    `script-src 'nonce-${nonceMark}'`,
    `style-src 'nonce-${nonceMark}'`,
    `img-src ${own}`,
    `media-src ${own}`,
    `connect-src ${own}`,
    // Of files, documents alone are shown in frames.
    `frame-src ${own}${appsOrigin ? ` ${appsOrigin}` : ''}`,
    "manifest-src 'self'",
    // Its address is fixed by the policy of Trusted Types below.
    "worker-src 'self'",
    "object-src 'none'",
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    'trusted-types parley-worker',
  ].join('; ');
}

/** The policy of the service worker: it fetches from this site alone, and runs no other script. */
export const workerPolicy = [
  "default-src 'none'",
  "connect-src 'self'",
  "img-src 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/**
 * A page that shows HTML received from the page around it, such as a server's home page. It has an origin of its own
 * (`sandbox` without `allow-same-origin`), and so no access to this site. The HTML is sent by a message, because the policy
 * keeps the outer page from parsing text as HTML, even for a frame.
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
