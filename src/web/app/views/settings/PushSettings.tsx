import { useEffect } from 'preact/hooks';
import { Button } from '../parts/Button.tsx';
import { Check } from '../parts/Field.tsx';
import { Block } from '../parts/Page.tsx';
import { useApp } from '../useApp.ts';

/** Whether this device gets pushes, and what they show. */
export function PushSettings() {
  const { connection, pushes, attempt, showToast } = useApp();
  useEffect(() => connection.load(() => pushes.load()), []);
  return (
    <Block title="Push" about="While you are not active on any device.">
      {pushes.isPossible ? (
        <Check
          label={
            <>
              Push to this device
              <span class="hint">Also while Parley is closed.</span>
            </>
          }
          checked={pushes.isOn.value}
          onChange={(on) => void attempt(() => pushes.set(on))}
        />
      ) : (
        <p class="faint">
          This browser cannot receive pushes here. On an iPhone or iPad add Parley to the home screen, and open it
          there.
        </p>
      )}
      <Check
        label={
          <>
            Show who wrote what
            <span class="hint">On all of your devices. Otherwise pushes only say that there is something new.</span>
          </>
        }
        checked={pushes.preview.value}
        onChange={(preview) => void attempt(() => pushes.setPreview(preview))}
      />
      {pushes.isOn.value && (
        <Button
          label="Send a test push"
          kind="quiet"
          onClick={() =>
            void attempt(async () => {
              await pushes.test();
              showToast('A push is on its way to this device.');
            })
          }
        />
      )}
    </Block>
  );
}
