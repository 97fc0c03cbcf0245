/** How many bytes of a page are looked at, as browsers do (HTML, "prescan a byte stream"). */
export const charsetWithin = 1024;

const marks: [Buffer, string][] = [
  [Buffer.from([0xef, 0xbb, 0xbf]), 'utf-8'],
  [Buffer.from([0xff, 0xfe]), 'utf-16le'],
  [Buffer.from([0xfe, 0xff]), 'utf-16be'],
];

/** The character set that a page itself names, by its first bytes or in a `meta` element; UTF-8 where it names none. */
export function charsetOf(head: Buffer): string {
  const marked = marks.find(([mark]) => head.subarray(0, mark.length).equals(mark));
  if (marked) return marked[1];
  const text = head.toString('latin1').replace(/<!--.*?(-->|$)/gs, '');
  const named = /<meta\b[^>]*?\bcharset\s*=\s*["']?\s*([\w:.-]{1,40})/i.exec(text)?.[1]?.toLowerCase() ?? 'utf-8';
  // Where the name can be read as ASCII, this is not what it says.
  return named.startsWith('utf-16') ? 'utf-8' : named;
}
