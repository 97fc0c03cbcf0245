import { useEffect } from 'preact/hooks';
import { Button } from '../parts/Button.tsx';
import { Check } from '../parts/Field.tsx';
import { Block } from '../parts/Page.tsx';
import { useApp, useTexts } from '../useApp.ts';

/** Whether this device gets pushes, and what they show. */
export function PushSettings() {
  const { t } = useTexts();
  const { connection, pushes, attempt, showToast } = useApp();
  useEffect(() => connection.load(() => pushes.load()), []);
  return (
    <Block title={t('Push')} about={t('While you are not active on any device.')}>
      {pushes.isPossible ? (
        <Check
          label={
            <>
              {t('Push notifications on this device')}
              <span class="hint">{t('Also while Parley is closed.')}</span>
            </>
          }
          checked={pushes.isOn.value}
          onChange={(on) => void attempt(() => pushes.set(on))}
        />
      ) : (
        <p class="faint">
          {t(
            'This browser cannot receive push notifications here. On an iPhone or iPad, add Parley to the home screen and open it there.',
          )}
        </p>
      )}
      <Check
        label={
          <>
            {t('Show who wrote what')}
            <span class="hint">
              {t('On all your devices. Otherwise push notifications only say that there is something new.')}
            </span>
          </>
        }
        checked={pushes.preview.value}
        onChange={(preview) => void attempt(() => pushes.setPreview(preview))}
      />
      {pushes.isOn.value && (
        <Button
          label={t('Send a test notification')}
          kind="quiet"
          onClick={() =>
            void attempt(async () => {
              await pushes.test();
              showToast(t('A test notification is on its way to this device.'));
            })
          }
        />
      )}
    </Block>
  );
}
