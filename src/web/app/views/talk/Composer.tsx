import { useState } from 'preact/hooks';
import { keptKeys } from '../../state/surroundings.ts';
import type { Timeline } from '../../state/timeline.ts';
import { IconButton } from '../parts/Button.tsx';
import { useDrop } from '../parts/dropping.ts';
import { EmojiButton } from '../parts/EmojiButton.tsx';
import { Icon } from '../parts/Icon.tsx';
import { lazyDialog } from '../parts/lazy.tsx';
import { usePart } from '../parts/usePart.ts';
import { useApp, useTexts } from '../useApp.ts';
import { AddFiles } from './AddFiles.tsx';
import { AskPoll } from './AskPoll.tsx';
import { FileList } from './FileList.tsx';
import { mayUsually, withheld } from './permissions.ts';
import { SendLater } from './SendLater.tsx';
import { listOf, Suggestions, useGrowth } from './Suggestions.tsx';
import { Typists } from './Typists.tsx';
import { UnsentDraft } from './Unsent.tsx';
import { type Composing, maxLength, useComposer, type WritingPlace } from './useComposer.ts';
import { WaitingList } from './WaitingList.tsx';

const CommandDialog = lazyDialog(() => import('./CommandDialog.tsx').then((part) => part.CommandDialog));

/** The remaining characters are shown from here on. */
const countFrom = 500;

interface ComposerProps {
  timeline: Timeline;
  name: string;
  /** Why the user cannot write here; null: they can. */
  closed: string | null;
}

export function Composer({ timeline, name, closed }: ComposerProps) {
  if (closed) {
    return (
      <>
        <p class="closed">{closed}</p>
        <UnsentDraft timeline={timeline} />
      </>
    );
  }
  const { key, channelId, threadId } = timeline;
  return <OpenComposer place={{ key, channelId, threadId, timeline }} name={name} />;
}

/** Where one can write. */
export function OpenComposer({ place, name }: { place: WritingPlace; name: string }) {
  const { t } = useTexts();
  const app = useApp();
  const { attachments } = app;
  const { channelId, threadId, key, beginning } = place;
  const withoutFiles = mayUsually(app, channelId, 'file:attach') ? null : t(withheld.files);
  const addFiles = (list: readonly File[]) => {
    if (withoutFiles && list.length > 0) app.showToast(withoutFiles, 'bad');
    else void attachments.add(key, list);
  };
  const composing = useComposer(place);
  const { answered, files, uploading, suggesting, begun, end } = composing;
  const isCommand = !beginning && /^\/\S+\s/.test(composing.text);
  const Hint = usePart(isCommand, () => import('./ArgumentsHint.tsx').then((part) => part.ArgumentsHint));
  const id = threadId || beginning ? 'thread-composer' : 'composer';
  return (
    <form
      class="composer"
      onSubmit={(event) => {
        event.preventDefault();
        composing.send();
      }}
    >
      {!beginning && <WaitingList channelId={channelId} threadId={threadId} />}
      <Suggestions id={`${id}-list`} {...suggesting} />
      {Hint && suggesting.list.length === 0 && <Hint channelId={channelId} text={composing.text} />}
      <ReplyingTo name={answered?.name ?? null} onStop={() => app.drafts.replies.set(key, null)} />
      <FileList of={key} files={files} uploading={uploading} />
      <TextBox id={id} name={name} composing={composing} withoutFiles={withoutFiles} onFiles={addFiles} />
      <SlowModeNote {...composing.slowMode} />
      {!beginning && <Typists channelId={channelId} threadId={threadId} />}
      {begun.map((one) => (
        <CommandDialog key={one.nonce} {...one} place={{ channelId, threadId }} onClose={() => end(one)} />
      ))}
    </form>
  );
}

/** What slow mode means for the user; nothing where it is off. */
function SlowModeNote({ seconds, left }: { seconds: number; left: number }) {
  const { countdown, lasting, t } = useTexts();
  if (seconds === 0) return null;
  if (left > 0) return <p class="slow">{t('Slow mode: you can write again in {time}.', { time: countdown(left) })}</p>;
  return <p class="slow">{t('Slow mode: one message every {time}.', { time: lasting(seconds) })}</p>;
}

interface TextBoxProps {
  id: string;
  name: string;
  composing: Composing;
  /** Why no files can be added; null: they can. */
  withoutFiles: string | null;
  onFiles(list: readonly File[]): void;
}

function TextBox({ id, name, composing, withoutFiles, onFiles }: TextBoxProps) {
  const { t } = useTexts();
  const { connection } = useApp();
  const { ref, text, change, press, suggesting, formatting, blocked, later } = composing;
  const { Bar, toggle, isShown } = useFormatBar();
  useGrowth(ref, text);
  const offline = connection.state.value.status === 'offline';
  const left = maxLength - text.length;
  const label = t('Message {name}', { name });
  return (
    <>
      {Bar && <Bar box={ref} />}
      <div class="box">
        <AddFiles withheld={withoutFiles} onChoose={onFiles} />
        <textarea
          id={id}
          ref={ref}
          rows={1}
          value={text}
          aria-label={label}
          {...listOf(`${id}-list`, suggesting)}
          placeholder={offline ? t('Offline: what you write is sent later') : label}
          onInput={(event) => {
            change(event.currentTarget.value);
            suggesting.typed();
          }}
          onKeyDown={press}
          onPaste={(event) => formatting.paste(event, onFiles)}
        />
        {left < countFrom && <span class={left < 0 ? 'count bad' : 'count'}>{left}</span>}
        <FormatButton isOn={isShown} onToggle={toggle} />
        <EmojiButton label={t('Insert an emoji')} withOwn onChoose={composing.insert} />
        <AskPoll onAsk={composing.ask} />
        {later && <SendLater {...later} />}
        <button type="submit" class="send" aria-label={t('Send')} disabled={blocked}>
          <Icon name="send" />
        </button>
      </div>
    </>
  );
}

/** The bar of buttons that format, which is loaded where it is shown; that it is, this device remembers. */
function useFormatBar() {
  const { scope } = useApp();
  const [isShown, show] = useState(() => scope.local.getItem(keptKeys.formatBar) !== null);
  const Bar = usePart(isShown, () => import('./Formatting.tsx').then((part) => part.FormatBar));
  const toggle = () => {
    if (isShown) scope.local.removeItem(keptKeys.formatBar);
    else scope.local.setItem(keptKeys.formatBar, 'shown');
    show(!isShown);
  };
  return { Bar, toggle, isShown };
}

function FormatButton({ isOn, onToggle }: { isOn: boolean; onToggle(): void }) {
  const { t } = useTexts();
  const label = t('Formatting');
  return (
    <button
      type="button"
      class="icon format-toggle"
      aria-label={label}
      aria-pressed={isOn}
      title={label}
      onClick={onToggle}
    >
      <span aria-hidden="true">Aa</span>
    </button>
  );
}

/** @param name of the author of the message that is answered; null: there is none */
function ReplyingTo({ name, onStop }: { name: string | null; onStop(): void }) {
  const { rich, t } = useTexts();
  if (name === null) return null;
  return (
    <div class="answering">
      <span>{rich('Replying to {name}', { name: <strong dir="auto">{name}</strong> })}</span>
      <IconButton icon="close" label={t('Do not reply')} onClick={onStop} />
    </div>
  );
}

/** Attaches files that are dropped anywhere on a conversation to the next message, if the user can write here. */
export function useFileDrop({ key, channelId }: Pick<WritingPlace, 'key' | 'channelId'>, closed: string | null) {
  const { t } = useTexts();
  const app = useApp();
  const { showToast, attachments } = app;
  return useDrop(async (dropped) => {
    const reason = closed ?? (mayUsually(app, channelId, 'file:attach') ? null : t(withheld.files));
    if (reason) return showToast(reason, 'bad');
    const files = dropped.map(({ file }) => file);
    await attachments.add(key, files);
  });
}
