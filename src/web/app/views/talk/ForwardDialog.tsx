import { useEffect, useRef, useState } from 'preact/hooks';
import { type Message, ParleyError } from '../../../../client/index.ts';
import { ranked } from '../../state/fuzzy.ts';
import { pathTo } from '../../state/router.ts';
import { errorText, Failure } from '../../state/toasts.ts';
import { Dialog } from '../parts/Dialog.tsx';
import { Field } from '../parts/Field.tsx';
import { type Fields, Form } from '../parts/Form.tsx';
import { useApp, useTexts } from '../useApp.ts';
import { type Place, usePlaces } from './usePlaces.ts';

/** How many places are listed; the others are found by their names. */
const maxListed = 100;

/** Asks where to forward a message to. It stays until that is done, or says why it is not. */
export function ForwardDialog({ message, onClose }: { message: Message; onClose(): void }) {
  const { t } = useTexts();
  const [typed, setTyped] = useState('');
  const [chosen, setChosen] = useState<Place | null>(null);
  const found = ranked(usePlaces(typed), typed.trim().replace(/^[#@]/, '')).slice(0, maxListed + 1);
  const others = found.slice(0, maxListed).filter(({ key }) => key !== chosen?.key);
  const forward = useForwarding(message, onClose);
  return (
    <Dialog title={t('Forward the message')} onClose={onClose}>
      <Form action={t('Forward')} work={({ text }: Fields) => forward(chosen, text('comment'))}>
        <Field label={t('Find a channel or a person')} name="sought" onInput={setTyped} maxlength={100} autofocus />
        <fieldset class="choices places">
          <legend class="hidden">{t('Where to')}</legend>
          {/* What was chosen stays, whatever is looked for then. */}
          {[...(chosen ? [chosen] : []), ...others].map((place) => (
            <label key={place.key} class="check">
              <input type="radio" name="to" checked={place.key === chosen?.key} onChange={() => setChosen(place)} />
              <span>
                {place.name} <span class="faint">{place.about}</span>
              </span>
            </label>
          ))}
        </fieldset>
        <p class="hint" role="status">
          {found.length === 0 && t('No results')}
          {found.length > maxListed && t('There are more. Type part of the name to narrow them down.')}
        </p>
        <Field label={t('Comment')} name="comment" maxlength={4000} />
      </Form>
    </Dialog>
  );
}

/** @returns forwards the message, and closes the dialog once that is done; what it throws is for the dialog to show */
function useForwarding(message: Message, onClose: () => void) {
  const texts = useTexts();
  const { client, showToast } = useApp();
  const isGone = useRef(false);
  const last = useRef({ what: '', nonce: '' });
  useEffect(
    () => () => {
      isGone.current = true;
    },
    [],
  );
  /** The same for another attempt at the same: the first may have arrived, though its answer did not. */
  const nonceFor = (what: string): string => {
    if (last.current.what !== what) last.current = { what, nonce: `forward-${Date.now()}-${Math.random()}` };
    return last.current.nonce;
  };
  const send = async (place: Place, content: string) => {
    const channelId = await place.open();
    const nonce = nonceFor(`${channelId} ${content}`);
    const body = { content, forwardId: message.id, nonce };
    await client.rest('POST /api/channels/:channelId/messages', { channelId, body });
    return place.href ?? pathTo.channel(null, channelId);
  };
  return async (place: Place | null, comment: string): Promise<void> => {
    if (!place) throw new Failure('Choose where to forward it to.');
    try {
      showToast(texts.t('The message is forwarded.'), 'good', await send(place, comment));
    } catch (error) {
      if (error instanceof ParleyError && error.code === 'MESSAGE_HELD') {
        showToast(texts.t('Your message is waiting for a moderator.'));
      } else if (isGone.current) {
        showToast(errorText(error, texts), 'bad');
      } else throw error;
    }
    onClose();
  };
}
