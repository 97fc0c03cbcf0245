import type { AudioHTMLAttributes } from 'preact';
import { useRef, useState } from 'preact/hooks';
import type { Attachment } from '../../state/attachments.ts';
import { IconButton } from '../parts/Button.tsx';
import { useTexts } from '../useApp.ts';
import { useLink } from './useLink.ts';

/** What a file is played as; null: this browser cannot. Which sorts it can is known without loading any of it. */
export function playedAs({ contentType }: Attachment): 'audio' | 'video' | null {
  const kind = /^(audio|video)\//.exec(contentType)?.[1];
  if (kind !== 'audio' && kind !== 'video') return null;
  return document.createElement(kind).canPlayType(contentType) === '' ? null : kind;
}

/** Videos have this shape until they say another one. */
const usual = { width: 16, height: 9 };
const maxWidth = 420;
const maxHeight = 320;

/** Sound or a video; the browser fetches only what is played. */
export function Player({ file, kind }: { file: Attachment; kind: 'audio' | 'video' }) {
  const { src, again, resume } = usePlayable(file);
  const common = { src, controls: true, preload: 'metadata', onError: again, onLoadedMetadata: resume } as const;
  if (kind === 'audio') {
    return (
      <figure class="player">
        <figcaption>{file.filename}</figcaption>
        <audio {...common} aria-label={file.filename} />
      </figure>
    );
  }
  const { width, height } = file.width && file.height ? { width: file.width, height: file.height } : usual;
  const shown = file.width && file.height ? width * Math.min(1, maxWidth / width, maxHeight / height) : maxWidth;
  return (
    <video
      {...common}
      class="picture"
      style={{ width: `${shown}px`, aspectRatio: `${width} / ${height}` }}
      aria-label={file.filename}
      playsInline
    />
  );
}

/** The link to a file, which is renewed where it expires; the player goes on from where it was. */
function usePlayable(file: Attachment) {
  const { src, again } = useLink(file);
  const left = useRef({ at: 0, isPlaying: false });
  return {
    src,
    again(event: Event) {
      const { currentTarget: player } = event;
      if (player instanceof HTMLMediaElement) left.current = { at: player.currentTime, isPlaying: !player.paused };
      again();
    },
    resume(event: Event) {
      const { currentTarget: player } = event;
      const { at, isPlaying } = left.current;
      if (!(player instanceof HTMLMediaElement) || at === 0) return;
      left.current = { at: 0, isPlaying: false };
      player.currentTime = at;
      if (isPlaying) void player.play().catch(() => {});
    },
  };
}

const maxBars = 48;

/** Minutes and seconds. */
export const duration = (seconds: number): string =>
  `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, '0')}`;

/** A voice message: how loud it is over its time, which is also where one chooses the place to listen from. */
export function Voice({ file }: { file: Attachment }) {
  const { t } = useTexts();
  const { src, again, resume } = usePlayable(file);
  const player = useRef<HTMLAudioElement>(null);
  const [at, setAt] = useState(0);
  const [isPlaying, setPlaying] = useState(false);
  const whole = (file.durationMs ?? 0) / 1000;
  const toggle = () => {
    if (isPlaying) player.current?.pause();
    else void player.current?.play().catch(() => {});
  };
  const seek = (seconds: number) => {
    if (player.current) player.current.currentTime = seconds;
    setAt(seconds);
  };
  const sound: AudioHTMLAttributes = {
    ...{ src, preload: 'none', onError: again, onLoadedMetadata: resume },
    onTimeUpdate: (event) => setAt(event.currentTarget.currentTime),
    onPlay: () => setPlaying(true),
    onPause: () => setPlaying(false),
    onEnded: () => seek(0),
  };
  return (
    <div class="voice">
      <IconButton
        icon={isPlaying ? 'pause' : 'play'}
        label={isPlaying ? t('Pause') : t('Play the voice message')}
        disabled={!src}
        onClick={toggle}
      />
      <span class="wave">
        <Bars waveform={file.waveform ?? ''} part={whole > 0 ? Math.min(1, at / whole) : 0} />
        <input
          type="range"
          aria-label={t('Place in the voice message')}
          aria-valuetext={t('{at} of {count}', { at: duration(at), count: duration(whole) })}
          min={0}
          max={whole}
          step={0.1}
          value={at}
          onInput={(event) => seek(event.currentTarget.valueAsNumber)}
        />
      </span>
      <span class="faint">{duration(at > 0 ? at : whole)}</span>
      <audio ref={player} {...sound} />
    </div>
  );
}

function Bars({ waveform, part }: { waveform: string; part: number }) {
  const all = Array.from(atob(waveform), (sign) => sign.charCodeAt(0));
  const step = Math.max(1, all.length / maxBars);
  const levels = Array.from(
    { length: Math.min(all.length, maxBars) },
    (_, index) => all[Math.floor(index * step)] ?? 0,
  );
  const heard = levels.length * part;
  const line = (level: number, index: number) => {
    const half = 1 + (level / 255) * 10;
    return `M${index * 4 + 2} ${12 - half}v${half * 2}`;
  };
  return (
    <svg viewBox={`0 0 ${Math.max(1, levels.length) * 4} 24`} preserveAspectRatio="none" aria-hidden="true">
      <path class="rest" d={levels.map(line).join('')} />
      <path class="heard" d={levels.map(line).slice(0, Math.ceil(heard)).join('')} />
    </svg>
  );
}
