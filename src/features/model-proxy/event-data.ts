/** No event of a model is larger. */
const maxEventBytes = 4 * 1024 * 1024;

/**
 * The data of server-sent events, one at a time, however they are split into chunks. Comments and event names are skipped:
 * models send neither.
 * @throws Error when an event does not end
 */
export async function* eventData(body: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  let data: string[] = [];
  for await (const chunk of body) {
    rest += decoder.decode(chunk, { stream: true });
    if (rest.length > maxEventBytes) throw new Error('An event of the model has no end.');
    // A line may end with CR LF, split over two chunks.
    const lines = rest.replace(/\r(?=[\s\S])\n?/g, '\n').split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (line === '' && data.length > 0) {
        yield data.join('\n');
        data = [];
      } else if (line.startsWith('data:')) {
        data.push(line.slice(line.startsWith('data: ') ? 6 : 5));
      }
    }
  }
  if (rest.startsWith('data:')) data.push(rest.slice(5).trimStart());
  if (data.length > 0) yield data.join('\n');
}
