import { Button } from '../parts/Button.tsx';
import { type Fields, Form } from '../parts/Form.tsx';
import { Block } from '../parts/Page.tsx';
import { chosenTime, TimeChoice } from '../parts/TimeChoice.tsx';
import { useApp, useTexts } from '../useApp.ts';

/** A pause that the user takes now. */
export function Snooze() {
  const texts = useTexts();
  const { shortTime, t } = texts;
  const { preferences, attempt } = useApp();
  const until = preferences.current.value.snoozedUntil;
  const isSnoozed = until !== null && new Date(until) > new Date();
  const snooze = (fields: Fields) => preferences.change({ snoozedUntil: chosenTime(texts, fields) });
  return (
    <Block
      title={t('Snooze')}
      about={t(
        'Until then you get no push notifications, mails or alerts. You still find everything in your notifications.',
      )}
    >
      {isSnoozed ? (
        <div class="inline wrapping">
          <p role="status">{t('Snoozed until {time}.', { time: shortTime(until) })}</p>
          <Button
            label={t('End it now')}
            kind="quiet"
            onClick={() => void attempt(() => preferences.change({ snoozedUntil: null }))}
          />
        </div>
      ) : (
        <Form action={t('Snooze')} work={snooze}>
          <TimeChoice label={t('Until')} />
        </Form>
      )}
    </Block>
  );
}
