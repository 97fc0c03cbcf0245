import { useEffect, useRef } from 'preact/hooks';
import type { Attachment } from '../../state/attachments.ts';
import { formatSize } from '../../state/sizes.ts';
import type { Upload } from '../../state/uploads.ts';
import { Icon } from '../parts/Icon.tsx';
import { useApp, useTexts } from '../useApp.ts';
import { isPicture } from './Attachments.tsx';
import { useLink } from './useLink.ts';

interface FileListProps {
  /** Of the channel or thread. */
  of: string;
  files: readonly Attachment[];
  uploading: readonly Upload[];
}

/** The files of a message that is being written. */
export function FileList({ of, files, uploading }: FileListProps) {
  const { t } = useTexts();
  if (files.length === 0 && uploading.length === 0) return null;
  return (
    <ul class="files to-send" aria-label={t('Files to send')}>
      {files.map((file) => (
        <UploadedFile key={file.id} of={of} file={file} />
      ))}
      {uploading.map((upload, at) => (
        <UploadingFile key={`${at} ${upload.file.name}`} upload={upload} />
      ))}
    </ul>
  );
}

function UploadedFile({ of, file }: { of: string; file: Attachment }) {
  const { t } = useTexts();
  const { attachments, attempt } = useApp();
  const { filename: name, isSpoiler } = file;
  const source = attachments.fileOf(file.id);
  return (
    <li class={isSpoiler ? 'veiled' : ''}>
      {source ? <Preview file={source} /> : <StoredPreview file={file} />}
      <FileName name={name} size={file.size} />
      <button
        type="button"
        class="link"
        aria-pressed={isSpoiler}
        aria-label={t('Send {name} as a spoiler', { name })}
        title={t('Send as a spoiler')}
        onClick={() => void attempt(() => attachments.hide(of, file, !isSpoiler))}
      >
        {isSpoiler ? `${t('Spoiler')} ✓` : t('Spoiler')}
      </button>
      <Remove name={name} onRemove={() => attachments.remove(of, file)} />
    </li>
  );
}

function UploadingFile({ upload }: { upload: Upload }) {
  const { t } = useTexts();
  const { attachments, connection } = useApp();
  const { file, problem, sent } = upload;
  const { name } = file;
  const waits = connection.state.value.status === 'offline' ? t('waits for a connection') : t('uploading…');
  return (
    <li class={problem.value === null ? '' : 'failed'}>
      <Preview file={file} />
      <FileName name={name} size={file.size} />
      {problem.value === null ? (
        <>
          <span class="faint" role="status">
            {waits}
          </span>
          <progress value={sent.value} aria-label={t('{name}: uploaded', { name })} />
        </>
      ) : (
        <>
          <span class="bad" role="alert">
            {problem.value}
          </span>
          <button type="button" class="link" onClick={() => void attachments.tryAgain(upload)}>
            {t('Try again')}
          </button>
        </>
      )}
      <Remove name={name} onRemove={() => attachments.cancel(upload)} />
    </li>
  );
}

function FileName({ name, size }: { name: string; size: number }) {
  return (
    <span class="about">
      <span class="name" title={name}>
        {name}
      </span>{' '}
      <bdi class="faint">{formatSize(size)}</bdi>
    </span>
  );
}

function Remove({ name, onRemove }: { name: string; onRemove(): void }) {
  const { t } = useTexts();
  const label = t('Do not send {name}', { name });
  return (
    <button type="button" class="icon remove" aria-label={label} title={label} onClick={onRemove}>
      <Icon name="close" />
    </button>
  );
}

/** As high as the box for it in the style sheet, on screens with two pixels each. */
const previewHeight = 144;

/** What a file on this device looks like: it is drawn, since the policy of the page shows pictures of this site alone. */
function Preview({ file }: { file: File }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const isDrawn = /^image\/(?:png|jpeg|gif|webp|avif|bmp)$/.test(file.type);
  useEffect(() => {
    let isWanted = true;
    if (isDrawn) {
      // One that cannot be read has no preview.
      void draw(file, () => (isWanted ? canvas.current : null)).catch(() => {});
    }
    return () => {
      isWanted = false;
    };
  }, [file]);
  if (!isDrawn) return <Icon name={/^(?:audio|video)\//.test(file.type) ? 'play' : 'file'} />;
  return (
    <span aria-hidden="true">
      <canvas class="sketch" ref={canvas} width={0} height={0} />
    </span>
  );
}

async function draw(file: File, canvasOf: () => HTMLCanvasElement | null): Promise<void> {
  const picture = await createImageBitmap(file, { resizeHeight: previewHeight, resizeQuality: 'medium' });
  const canvas = canvasOf();
  if (canvas) {
    canvas.width = picture.width;
    canvas.height = picture.height;
    canvas.getContext('2d')?.drawImage(picture, 0, 0);
  }
  picture.close();
}

/** What an uploaded file looks like that was chosen before the page was loaded. */
function StoredPreview({ file }: { file: Attachment }) {
  if (isPicture(file)) return <StoredPicture file={file} />;
  return <Icon name={file.voice ? 'voice' : 'file'} />;
}

function StoredPicture({ file }: { file: Attachment }) {
  const { src, again } = useLink(file);
  return (
    <img
      class="sketch"
      src={src && file.thumbnailUrl ? `${src}&size=thumbnail` : src}
      alt=""
      loading="lazy"
      onError={again}
    />
  );
}
