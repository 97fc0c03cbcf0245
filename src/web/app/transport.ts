import type { Transport } from '../../client/index.ts';

/** Sends requests by what tells how much of a body is sent, which `fetch` does not. */
export const reporting =
  (onShare: (share: number) => void): Transport =>
  (url, { method = 'GET', headers, body, signal }, onSent) =>
    new Promise<Response>((resolve, reject) => {
      const request = new XMLHttpRequest();
      const fail = () => reject(new TypeError('no answer'));
      request.open(method, url);
      request.responseType = 'blob';
      new Headers(headers).forEach((value, name) => {
        request.setRequestHeader(name, value);
      });
      request.upload.onprogress = ({ loaded, total }) => {
        onSent();
        onShare(total > 0 ? loaded / total : 0);
      };
      request.onload = () => resolve(answerOf(request));
      request.onerror = fail;
      request.onabort = fail;
      signal?.addEventListener('abort', () => request.abort(), { once: true });
      if (signal?.aborted) fail();
      else request.send(body instanceof FormData ? body : null);
    });

function answerOf(request: XMLHttpRequest): Response {
  const type = request.getResponseHeader('content-type');
  return new Response(request.response, {
    status: request.status,
    headers: type === null ? {} : { 'content-type': type },
  });
}
