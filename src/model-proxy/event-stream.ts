/** More than this belongs to no event that a model sends. */
const maxEventBytes = 4 * 1024 * 1024;

/**
 * The data of server-sent events, one by one as they come, whatever pieces they come in. Comments and names of events
 * are left out: models send neither.
 * @throws Error when an event does not end
 */
export async function* eventData(body: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  let data: string[] = [];
  for await (const chunk of body) {
    rest += decoder.decode(chunk, { stream: true });
    if (rest.length > maxEventBytes) throw new Error('An event of the model has no end.');
    // A line may end with CR LF, and the two may come in two pieces.
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
