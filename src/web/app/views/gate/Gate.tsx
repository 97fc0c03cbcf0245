import type { ComponentChildren } from 'preact';
import { Sign } from '../parts/Icon.tsx';
import { LanguageChoice } from '../settings/Language.tsx';
import { useTexts } from '../useApp.ts';

/** The frame of the pages for signing in. */
export function Gate({ children }: { children: ComponentChildren }) {
  const { t } = useTexts();
  return (
    <main class="gate">
      <div class="card">
        <h1 class="brand">
          <span class="logo">
            <Sign />
          </span>
          {t('Parley')}
        </h1>
        {children}
        <LanguageChoice />
      </div>
    </main>
  );
}
