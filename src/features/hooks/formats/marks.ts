/** Parts of a message's text, as clients show it. */

/** Parts that say something, with a line break between them. */
export const lines = (...parts: (string | undefined | readonly string[])[]): string =>
  parts
    .flat()
    .filter((part) => part)
    .join('\n');

/** On one line. */
export const inLine = (text: string): string => text.replace(/\s+/g, ' ').trim();

export const bold = (text: string): string => (text ? `**${inLine(text)}**` : '');

export const code = (text: string): string => `\`${inLine(text).replaceAll('`', "'")}\``;

/** A text that leads somewhere; without an address it is the text alone. */
export function link(text: string, url: string): string {
  const label = inLine(text).replaceAll('[', '(').replaceAll(']', ')');
  if (!/^https?:\/\/[^\s<>]+$/.test(url)) return url ? lines(label, url) : label;
  const address = url.replaceAll('(', '%28').replaceAll(')', '%29');
  return label ? `[${label}](${address})` : url;
}

export const quoted = (text: string): string =>
  text
    .split('\n')
    .map((line) => `> ${line}`.trimEnd())
    .join('\n');
