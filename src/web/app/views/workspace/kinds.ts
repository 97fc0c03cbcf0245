import type { FileNode } from '../../state/workspace.ts';

type Shown = Pick<FileNode, 'mime' | 'name' | 'sizeBytes'>;

/** As the server has it: longer texts are no texts for it either. */
const longestText = 2 * 1024 * 1024;
/** Longer ones take the page too long to lay out. */
const longestMarkdown = 200_000;

export type PreviewKind = 'markdown' | 'text' | 'picture' | 'pdf' | 'audio' | 'video';

const isMarkdown = ({ mime, name }: Shown): boolean => mime === 'text/markdown' || /\.(md|markdown)$/i.test(name);

/** Whether a file can be edited as text. */
export const isText = ({ mime, sizeBytes }: Shown): boolean =>
  sizeBytes <= longestText && /^text\/|json|xml|javascript|yaml|toml/.test(mime ?? '');

/** As what a file is shown; null: it can only be downloaded. */
export function kindOf(file: Shown): PreviewKind | null {
  const { mime, sizeBytes } = file;
  if (/^image\/(png|jpeg|gif|webp|avif|bmp)$/.test(mime ?? '')) return 'picture';
  if (mime === 'application/pdf') return 'pdf';
  if (mime?.startsWith('audio/')) return 'audio';
  if (mime?.startsWith('video/')) return 'video';
  if (isMarkdown(file) && sizeBytes <= longestMarkdown) return 'markdown';
  return isText(file) ? 'text' : null;
}

/** The language of a text by the ending of its name; empty: none. */
export const languageOf = (name: string): string => /\.([a-z0-9]+)$/i.exec(name)?.[1]?.toLowerCase() ?? '';
