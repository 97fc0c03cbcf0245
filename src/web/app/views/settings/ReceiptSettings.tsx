import { useEffect } from 'preact/hooks';
import { Check } from '../parts/Field.tsx';
import { Block } from '../parts/Page.tsx';
import { useApp } from '../useApp.ts';

/** Whether others see how far the user has read, and the other way round. */
export function ReceiptSettings() {
  const { receipts, connection, attempt } = useApp();
  useEffect(() => connection.load(() => receipts.loadChoice()), []);
  return (
    <Block title="Read receipts" about="In direct messages, and in private channels of few people.">
      <Check
        label={
          <>
            Show others what I have read
            <span class="hint">You see what they have read, if they show it, too.</span>
          </>
        }
        checked={receipts.sends.value ?? false}
        disabled={receipts.sends.value === null}
        onChange={(on) => void attempt(() => receipts.choose(on))}
      />
    </Block>
  );
}
