import type { ComponentChildren } from 'preact';
import { Icon } from '../parts/Icon.tsx';

/** What one sees from outside. */
export function Gate({ children }: { children: ComponentChildren }) {
  return (
    <main class="gate">
      <div class="card">
        <h1 class="brand">
          <span class="logo">
            <Icon name="chat" />
          </span>
          Parley
        </h1>
        {children}
      </div>
    </main>
  );
}
