import { useEffect, useRef, useState } from 'preact/hooks';
import type { Recording } from '../../state/surroundings.ts';
import { IconButton } from '../parts/Button.tsx';
import { useApp, useTexts } from '../useApp.ts';
import { duration } from './Players.tsx';

/** Longer ones are ended. */
const longestMs = 10 * 60_000;

/** Records a voice message, which is then a file to send. */
export function RecordVoice({ onRecorded }: { onRecorded(files: readonly File[]): void }) {
  const { t } = useTexts();
  const { attachments, showToast, surroundings } = useApp();
  const { microphone } = surroundings;
  const [isOn, setOn] = useState(false);
  const [seconds, setSeconds] = useState(0);
  const recording = useRef<Recording | null>(null);
  const isStarting = useRef(false);
  const isGone = useRef(false);
  /** What leaves the page, or another conversation, is not recorded any longer. */
  useEffect(
    () => () => {
      isGone.current = true;
      recording.current?.discard();
    },
    [],
  );
  const start = async () => {
    if (isStarting.current) return;
    isStarting.current = true;
    try {
      const begun = (await microphone?.record()) ?? null;
      // The browser may have asked for long.
      if (isGone.current) return begun?.discard();
      recording.current = begun;
      setSeconds(0);
      setOn(true);
    } catch {
      if (!isGone.current) showToast(t('The microphone cannot be used. Allow it for this page, and try again.'), 'bad');
    } finally {
      isStarting.current = false;
    }
  };
  const stop = async () => {
    setOn(false);
    const { current } = recording;
    recording.current = null;
    if (!current) return;
    const { file, ...facts } = await current.stop(t('Voice message'));
    attachments.tell(file, facts);
    onRecorded([file]);
  };
  const discard = () => {
    setOn(false);
    recording.current?.discard();
    recording.current = null;
  };
  useEffect(() => {
    if (!isOn) return;
    const timer = setInterval(() => {
      const ms = recording.current?.elapsedMs ?? 0;
      setSeconds(ms / 1000);
      if (ms >= longestMs) void stop();
    }, 250);
    return () => clearInterval(timer);
  }, [isOn]);
  if (!microphone) return null;
  if (!isOn) return <IconButton icon="voice" label={t('Record a voice message')} onClick={() => void start()} />;
  return (
    <span class="recording">
      <IconButton icon="stop" label={t('Stop recording')} onClick={() => void stop()} />
      <span class="bad">
        <span class="hidden" role="status">
          {t('Recording…')}
        </span>
        {duration(seconds)}
      </span>
      <IconButton icon="trash" label={t('Discard the recording')} onClick={discard} />
    </span>
  );
}
