import { useEffect } from 'preact/hooks';
import { Check } from '../parts/Field.tsx';
import { Block } from '../parts/Page.tsx';
import { useApp, useTexts } from '../useApp.ts';

/** Whether others see how far the user has read, and the other way round. */
export function ReceiptSettings() {
  const { t } = useTexts();
  const { receipts, connection, attempt } = useApp();
  useEffect(() => connection.load(() => receipts.loadChoice()), []);
  return (
    <Block title={t('Read receipts')} about={t('In direct messages, and in private channels of few people.')}>
      <Check
        label={
          <>
            {t('Show others what I have read')}
            <span class="hint">{t('You see what they have read, if they show it, too.')}</span>
          </>
        }
        checked={receipts.sends.value ?? false}
        disabled={receipts.sends.value === null}
        onChange={(on) => void attempt(() => receipts.choose(on))}
      />
    </Block>
  );
}
