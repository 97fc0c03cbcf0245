import { useRef } from 'preact/hooks';
import type { FileNode } from '../../state/workspace.ts';
import { Button } from '../parts/Button.tsx';
import { Code } from '../parts/Code.tsx';
import { useLoaded } from '../parts/loading.ts';
import { Text } from '../parts/text.tsx';
import { useApp, useTexts } from '../useApp.ts';
import { kindOf, languageOf } from './kinds.ts';

interface PreviewProps {
  serverId: string;
  /** Of an older version with its type and size. */
  file: Pick<FileNode, 'id' | 'name' | 'mime' | 'sizeBytes'>;
  /** Undefined: as it is now. */
  version?: number;
}

/** What is in a file: text as people wrote it, pictures, documents, sound and video. */
export function Preview(props: PreviewProps) {
  const { t } = useTexts();
  switch (kindOf(props.file)) {
    case 'markdown':
    case 'text':
      return <TextPreview {...props} />;
    case 'picture':
      return <Picture {...props} />;
    case 'pdf':
      return <Document {...props} />;
    case 'audio':
      return <Playable {...props} kind="audio" />;
    case 'video':
      return <Playable {...props} kind="video" />;
    default:
      return <p class="faint">{t('There is no preview of this kind of file.')}</p>;
  }
}

function TextPreview({ serverId, file, version }: PreviewProps) {
  const { t } = useTexts();
  const { workspace } = useApp();
  const { value } = useLoaded(() => workspace.read(serverId, file.id, version), [serverId, file.id, version]);
  if (!value) return <p class="faint">{t('One moment…')}</p>;
  if (value.content === null) return <p class="faint">{t('There is no preview of this kind of file.')}</p>;
  return <TextOf name={file.name} file={file} text={value.content} />;
}

/** A text as it is meant to be read, scrolled by the keyboard. */
export function TextOf({ name, file, text }: { name: string; file: PreviewProps['file']; text: string }) {
  const { t } = useTexts();
  const isMarkdown = kindOf(file) === 'markdown';
  return (
    <section
      class={isMarkdown ? 'file-preview text' : 'file-preview text code'}
      aria-label={name}
      tabIndex={text === '' ? undefined : 0}
      dir="auto"
    >
      {text.trim() === '' && <p class="faint">{t('It is empty.')}</p>}
      {isMarkdown ? <Text content={text} /> : <Code text={text} language={languageOf(name)} plain={false} />}
    </section>
  );
}

/** A link that the browser itself follows. It works for some minutes, and is renewed when it has ended. */
function useLink({ serverId, file, version }: PreviewProps) {
  const { workspace, attempt } = useApp();
  const madeAt = useRef(0);
  const { value: url, load } = useLoaded(() => {
    madeAt.current = Date.now();
    return workspace.linkTo(serverId, file.id, 'inline', version);
  }, [serverId, file.id, version]);
  const renew = () => {
    // What fails at once is no matter of the link.
    if (Date.now() - madeAt.current > 60_000) void attempt(load);
  };
  return { url, renew };
}

function Picture(props: PreviewProps) {
  const { url, renew } = useLink(props);
  return url ? <img class="whole" src={url} alt={props.file.name} onError={renew} /> : null;
}

/** By the viewer of the browser; most phones have none. */
function Document(props: PreviewProps) {
  const { t } = useTexts();
  const { url } = useLink(props);
  if (!url) return <p class="faint">{t('One moment…')}</p>;
  if (navigator.pdfViewerEnabled) return <iframe class="file-preview document" src={url} title={props.file.name} />;
  return (
    <>
      <p class="faint">{t('This browser shows no PDF files in a page.')}</p>
      <Button label={t('Open in a new tab')} onClick={() => void window.open(url, '_blank', 'noopener')} />
    </>
  );
}

function Playable(props: PreviewProps & { kind: 'audio' | 'video' }) {
  const { t } = useTexts();
  const { url, renew } = useLink(props);
  const left = useRef(0);
  if (!url) return <p class="faint">{t('One moment…')}</p>;
  const player = {
    ...({ src: url, controls: true, preload: 'metadata', 'aria-label': props.file.name } as const),
    onError(event: Event) {
      if (event.currentTarget instanceof HTMLMediaElement) left.current = event.currentTarget.currentTime;
      renew();
    },
    onLoadedMetadata(event: Event) {
      if (event.currentTarget instanceof HTMLMediaElement) event.currentTarget.currentTime = left.current;
    },
  };
  return props.kind === 'audio' ? <audio class="sound" {...player} /> : <video class="whole" {...player} playsInline />;
}
