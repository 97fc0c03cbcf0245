import { useState } from 'preact/hooks';
import type { Attachment } from '../../state/attachments.ts';
import { formatSize } from '../../state/sizes.ts';
import { IconButton } from '../parts/Button.tsx';
import { Dialog } from '../parts/Dialog.tsx';
import { Icon } from '../parts/Icon.tsx';
import { Spoiler } from '../parts/Spoiler.tsx';
import { useApp, useTexts } from '../useApp.ts';
import { Player, playedAs, Voice } from './Players.tsx';
import { useLink } from './useLink.ts';

export function Attachments({ list }: { list: Attachment[] }) {
  const [opened, setOpened] = useState<string | null>(null);
  const pictures = list.filter(isPicture).filter(({ isSpoiler }) => !isSpoiler);
  const isMosaic = pictures.length > 1;
  const others = isMosaic ? list.filter((file) => !pictures.some(({ id }) => id === file.id)) : list;
  return (
    <>
      {isMosaic && <Mosaic list={pictures} onOpen={setOpened} />}
      {others.length > 0 && (
        <ul class="attachments">
          {others.map((attachment) => (
            <li key={attachment.id}>
              <Shown attachment={attachment} onOpen={() => setOpened(attachment.id)} />
            </li>
          ))}
        </ul>
      )}
      {opened && (
        <Pictures
          list={beside(list, opened).filter(isPicture)}
          id={opened}
          onGo={setOpened}
          onClose={() => setOpened(null)}
        />
      )}
    </>
  );
}

/** So many pictures of a message are shown at once. */
const mostTiles = 4;

/** Several pictures beside each other; how many more there are stands on the last. */
function Mosaic({ list, onOpen }: { list: readonly SizedPicture[]; onOpen(id: string): void }) {
  const more = list.length - mostTiles;
  return (
    <ul class="mosaic">
      {list.slice(0, mostTiles).map((picture, at) => (
        <li key={picture.id}>
          <Picture picture={picture} more={at === mostTiles - 1 ? more : 0} isTile onOpen={() => onOpen(picture.id)} />
        </li>
      ))}
    </ul>
  );
}

/** Going through the pictures of a message shows no spoiler but the one that was opened. */
const beside = (list: Attachment[], opened: string) => list.filter(({ id, isSpoiler }) => !isSpoiler || id === opened);

function Shown({ attachment, onOpen }: { attachment: Attachment; onOpen(): void }) {
  const { t } = useTexts();
  const file = () =>
    isPicture(attachment) ? <Picture picture={attachment} onOpen={onOpen} /> : <Other file={attachment} />;
  if (!attachment.isSpoiler) return file();
  return (
    <Spoiler of={attachment.id} label={t('Spoiler: a file')}>
      {file}
    </Spoiler>
  );
}

/** The largest size of a picture, in pixels. */
const maxWidth = 420;
const maxHeight = 320;

interface PictureProps {
  picture: SizedPicture;
  /** Whether its place has a size. */
  isTile?: boolean;
  /** How many there are that are not shown. */
  more?: number;
  onOpen(): void;
}

function Picture({ picture, isTile = false, more = 0, onOpen }: PictureProps) {
  const { t } = useTexts();
  const { src, href, again, opens } = useLink(picture);
  const { filename, width, height } = picture;
  // One that comes later would have the browser load the picture once more.
  const [small] = useState(() => hasSmall(picture));
  // The link has its size before the picture is loaded, so nothing moves.
  const shown = width * Math.min(1, maxWidth / width, maxHeight / height);
  const click = (event: MouseEvent) => {
    // These open the original in another tab.
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    onOpen();
  };
  return (
    <a
      class={isTile && isTiny(picture) ? 'picture tiny' : 'picture'}
      style={isTile ? {} : { width: `${shown}px`, aspectRatio: `${width} / ${height}` }}
      href={href}
      {...opens}
      aria-haspopup="dialog"
      onClick={click}
    >
      <img src={src && small ? `${src}&size=thumbnail` : src} alt={filename} loading="lazy" onError={again} />
      {more > 0 && (
        <span class="others">
          <span aria-hidden="true">+{more}</span>
          <span class="hidden">{t('{more, plural, one {# more picture} other {# more pictures}}', { more })}</span>
        </span>
      )}
    </a>
  );
}

/** Larger it would be a blur. */
const isTiny = ({ width, height }: SizedPicture) => width < 160 && height < 120;

/** An animation up to this size is shown as it moves, except to those who want no motion. */
const largestMoving = 4_000_000;

/** Whether a picture is shown as its thumbnail in the list. */
function hasSmall({ contentType, size, thumbnailUrl }: Attachment): boolean {
  const isStill = size > largestMoving || matchMedia('(prefers-reduced-motion: reduce)').matches;
  return Boolean(thumbnailUrl) && (isStill || contentType !== 'image/gif');
}

/** Sound, a video, or what is only to be fetched. */
function Other({ file }: { file: Attachment }) {
  const kind = playedAs(file);
  if (kind === 'audio' && file.voice) return <Voice file={file} />;
  return kind ? <Player file={file} kind={kind} /> : <File attachment={file} />;
}

function File({ attachment }: { attachment: Attachment }) {
  const { href, opens } = useLink(attachment);
  const { filename, size } = attachment;
  return (
    <a class="file" href={href} {...opens} download={filename}>
      <Icon name="file" /> <span class="name">{filename}</span> <bdi class="faint">{formatSize(size)}</bdi>
    </a>
  );
}

/** A picture whose size is known. */
export type SizedPicture = Attachment & { width: number; height: number };

export const isPicture = (file: Attachment): file is SizedPicture =>
  file.contentType.startsWith('image/') && Boolean(file.width && file.height);

interface PicturesProps {
  list: readonly SizedPicture[];
  /** The one that is shown. */
  id: string;
  onGo(id: string): void;
  onClose(): void;
}

/** The pictures of a message, one at a time in full size. */
export function Pictures({ list, id, onGo, onClose }: PicturesProps) {
  const { direction, t } = useTexts();
  const at = list.findIndex((one) => one.id === id);
  const picture = list[at];
  if (!picture) return null;
  const { filename } = picture;
  const walk = (step: number) => {
    const next = list.at((at + step) % list.length);
    if (next) onGo(next.id);
  };
  const press = (event: KeyboardEvent) => {
    // With modifiers they are shortcuts of the browser.
    const isPlain = !event.altKey && !event.ctrlKey && !event.metaKey && !event.shiftKey;
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    if (!isPlain || step === 0) return;
    event.preventDefault();
    walk(direction === 'rtl' ? -step : step);
  };
  return (
    <Dialog title={filename} size="full" onKeyDown={press} onClose={onClose}>
      <Large picture={picture} />
      {list.length > 1 && (
        <nav aria-label={t('Pictures')}>
          <IconButton icon="back" label={t('Previous picture')} onClick={() => walk(-1)} />
          <p class="faint" role="status">
            <span class="hidden">{filename}, </span>
            {t('{at} of {count}', { at: at + 1, count: list.length })}
          </p>
          <IconButton icon="forward" label={t('Next picture')} onClick={() => walk(1)} />
        </nav>
      )}
    </Dialog>
  );
}

/** One component shows all pictures, so that a focused link keeps the focus. */
function Large({ picture }: { picture: SizedPicture }) {
  const { t } = useTexts();
  const { connection } = useApp();
  const { src, href, problem, again, opens } = useLink(picture);
  const [there, setThere] = useState<string>();
  const waiting =
    connection.state.value.status === 'offline'
      ? t('The server cannot be reached. The picture comes when it can.')
      : t('One moment…');
  const label = t('Open the original in a new tab');
  return (
    <>
      {/* The name is a text, since a link without an address may not have a label. */}
      <a class="icon original" href={href} {...opens} tabIndex={0} title={label}>
        <Icon name="open" />
        <span class="hidden">{label}</span>
      </a>
      <div class="stage">
        {(!src || there !== src) && (
          <p class={problem ? 'bad' : 'faint'} role="status">
            {problem ?? waiting}
          </p>
        )}
        {src && !problem && (
          <img key={src} src={src} alt={picture.filename} onLoad={() => setThere(src)} onError={again} />
        )}
      </div>
    </>
  );
}
