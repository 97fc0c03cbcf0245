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
