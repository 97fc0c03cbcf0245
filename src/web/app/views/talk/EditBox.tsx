import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { type Message, ParleyError } from '../../../../client/index.ts';
import { messageFieldNear } from '../../focus.ts';
import { isComposing } from '../../state/keyboard.ts';
import type { Timeline } from '../../state/timeline.ts';
import { Confirm } from '../parts/Dialog.tsx';
import { useApp, useTexts } from '../useApp.ts';
import { listOf, Suggestions, useGrowth, useSuggestions } from './Suggestions.tsx';
import { useFormatting } from './useFormatting.ts';

/** Edits a message in place: Enter saves, Escape cancels. */
export function EditBox({ message, timeline }: { message: Message; timeline: Timeline }) {
  const { rich, t } = useTexts();
  const { keyboard } = useApp();
  const { ref, text, change, close, keep, press, suggesting, formatting, deleting } = useEditing(message, timeline);
  const links = {
    cancel: (
      <button type="button" class="link" onClick={close}>
        {t('cancel')}
      </button>
    ),
    save: (
      <button type="button" class="link" onClick={() => void keep()}>
        {t('save')}
      </button>
    ),
  };
  return (
    <div class="edit">
      <Suggestions id="edit-list" {...suggesting} />
      <textarea
        ref={ref}
        aria-label={t('Edit the message')}
        value={text}
        rows={1}
        {...listOf('edit-list', suggesting)}
        onInput={(event) => {
          change(event.currentTarget.value);
          suggesting.typed();
        }}
        onKeyDown={press}
        onPaste={(event) => formatting.paste(event)}
      />
      <p class="hint">
        {keyboard.hasEnter ? rich('Escape to {cancel}, Enter to {save}', links) : rich('{cancel} or {save}', links)}
      </p>
      {deleting && (
        <Confirm
          title={t('Delete this message?')}
          text={t('It has no text any more. It is deleted for everyone and cannot be restored.')}
          action={t('Delete')}
          {...deleting}
        />
      )}
    </div>
  );
}

function useEditing(message: Message, timeline: Timeline) {
  const { t } = useTexts();
  const { drafts, attempt, client, keyboard, showToast } = useApp();
  // Unsaved changes survive a visit elsewhere.
  const [text, setText] = useState(() => drafts.of(message.id) || message.content);
  const [isEmptied, setEmptied] = useState(false);
  const change = (value: string) => {
    setText(value);
    drafts.keep(message.id, value);
  };
  const ref = useRef<HTMLTextAreaElement>(null);
  // In a layout effect, to be ready for the next key.
  useLayoutEffect(() => {
    ref.current?.focus();
    ref.current?.setSelectionRange(text.length, text.length);
  }, []);
  useGrowth(ref, text);
  // Shows the caret, once the box has its height.
  useLayoutEffect(() => ref.current?.scrollTo({ top: ref.current.scrollHeight }), []);
  const close = () => {
    messageFieldNear(ref.current)?.focus();
    drafts.endEditing(message.id);
  };
  const keep = async () => {
    const content = text.trim();
    if (content === message.content) return close();
    if (content === '' && !hasMore(message)) return setEmptied(true);
    const kept = await attempt(async () => {
      const edited = await client.rest('PATCH /api/messages/:id', { id: message.id, body: { content } }).catch(ifHeld);
      if (edited) timeline.replace(edited);
      else showToast(t('Your change is waiting for a moderator.'));
    });
    if (kept) close();
  };
  const remove = () => attempt(() => client.rest('DELETE /api/messages/:id', { id: message.id }));
  const suggesting = useSuggestions(message.channelId, ref, change);
  const formatting = useFormatting(ref);
  const press = (event: KeyboardEvent) => {
    if (suggesting.press(event) || formatting.press(event)) return;
    if (event.key === 'Escape' && !isComposing(event)) close();
    if (!keyboard.submits(event)) return;
    event.preventDefault();
    void keep();
  };
  const deleting = isEmptied && {
    onClose: () => setEmptied(false),
    onConfirm: () => void remove().then((isGone) => isGone && close()),
  };
  return { ref, text, change, close, keep, press, suggesting, formatting, deleting };
}

/** Whether something of a message is left without its text. */
const hasMore = ({ attachments, poll, forwarded, components }: Message): boolean =>
  attachments.length > 0 || Boolean(poll ?? forwarded ?? components?.items.length);

/** A change that waits for a moderator is made later. */
function ifHeld(error: unknown): null {
  if (error instanceof ParleyError && error.code === 'MESSAGE_HELD') return null;
  throw error;
}
