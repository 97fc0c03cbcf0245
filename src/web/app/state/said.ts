interface Said {
  content: string;
  poll?: { question: string; options: readonly (string | { text: string })[] } | undefined;
}

/** What something says in one text, with its poll: where that is shown as a text alone. */
export function saidIn({ content, poll }: Said): string {
  if (!poll) return content;
  const options = poll.options.map((option) => `- ${typeof option === 'string' ? option : option.text}`);
  return [content, poll.question, ...options].filter((line) => line !== '').join('\n');
}
