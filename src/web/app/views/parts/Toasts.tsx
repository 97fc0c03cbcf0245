import { dismiss, toasts } from '../../state/toasts.ts';
import { Icon } from './Icon.tsx';

export function Toasts() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.value.map(({ id, text, kind, href }) => (
        <div key={id} class={`toast ${kind}`}>
          {text}
          {href && (
            <a href={href} onClick={() => dismiss(id)}>
              Show
            </a>
          )}
          <button type="button" class="icon" aria-label="Dismiss" onClick={() => dismiss(id)}>
            <Icon name="close" />
          </button>
        </div>
      ))}
    </div>
  );
}
