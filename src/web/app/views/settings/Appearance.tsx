import type { HourCycle, Theme } from '../../../../contract/appearance.ts';
import type { Message } from '../../../../languages/catalogue.ts';
import type { Density, Size } from '../../state/look.ts';
import { Block } from '../parts/Page.tsx';
import { Swatches } from '../parts/Swatches.tsx';
import { useApp, useTexts } from '../useApp.ts';

const themes: readonly { value: Theme | 'system'; label: Message }[] = [
  { value: 'system', label: 'As the device' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
  { value: 'contrast', label: 'High contrast' },
];

const clocks: readonly { value: HourCycle | 'auto'; label: Message }[] = [
  { value: 'auto', label: 'As the language' },
  { value: 'h12', label: '12 hours' },
  { value: 'h23', label: '24 hours' },
];

const densities: readonly { value: Density; label: Message }[] = [
  { value: 'comfortable', label: 'Comfortable' },
  { value: 'compact', label: 'Compact' },
];

const sizes: readonly { value: Size; label: Message }[] = [
  { value: 'small', label: 'Small' },
  { value: 'normal', label: 'Normal' },
  { value: 'large', label: 'Large' },
  { value: 'huge', label: 'Very large' },
];

/** Colours and clock follow the person; how large and close things are is a matter of each device. All of it shows at once. */
export function Appearance() {
  const { t, labelled, shortTime } = useTexts();
  const { attempt, client, me, setMe, look } = useApp();
  const change = (body: { theme?: Theme | null; hourCycle?: HourCycle | null }) =>
    void attempt(async () => setMe(await client.rest('PATCH /api/auth/me', { body })));
  return (
    <>
      <Block title={t('Colours and clock')} about={t('On all your devices.')}>
        <Swatches
          legend={t('Theme')}
          value={me.value?.theme ?? 'system'}
          options={labelled(themes)}
          sample={(value) => `theme-${value}`}
          onChange={(value) => change({ theme: value === 'system' ? null : value })}
        />
        <Swatches
          legend={t('Clock')}
          value={me.value?.hourCycle ?? 'auto'}
          options={labelled(clocks)}
          onChange={(value) => change({ hourCycle: value === 'auto' ? null : value })}
        />
        <p class="faint">{t('It is {time} now.', { time: shortTime(new Date().toISOString()) })}</p>
      </Block>
      <Block title={t('Size')} about={t('On this device only.')}>
        <Swatches
          legend={t('Size of text')}
          value={look.size.value}
          options={labelled(sizes)}
          onChange={(value) => look.setSize(value)}
        />
        <Swatches
          legend={t('Density')}
          value={look.density.value}
          options={labelled(densities)}
          onChange={(value) => look.setDensity(value)}
        />
      </Block>
    </>
  );
}
