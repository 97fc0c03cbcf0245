import { type Signal, signal } from '@preact/signals';

/** Which messages of a list have their tools in the page: the one under the pointer, or that was tapped, and the one with the focus. */
export class AtHand {
  private readonly pointed: Signal<string | null> = signal(null);
  private readonly focused: Signal<string | null> = signal(null);
  private isTouching = false;

  has(id: string): boolean {
    return this.pointed.value === id || this.focused.value === id;
  }

  /** What the element around the messages listens to. The finger that brings tools up must not press them: they come once it is gone. */
  readonly listeners = {
    onPointerOver: (event: PointerEvent) => {
      if (event.pointerType !== 'touch') this.pointed.value = idAt(event.target);
    },
    onPointerLeave: (event: PointerEvent) => {
      if (event.pointerType !== 'touch') this.pointed.value = null;
    },
    onPointerDown: (event: PointerEvent) => {
      this.isTouching = event.pointerType === 'touch';
    },
    onPointerCancel: () => {
      this.isTouching = false;
    },
    onClick: (event: MouseEvent) => {
      if (this.isTouching) this.pointed.value = idAt(event.target);
      this.isTouching = false;
    },
    onFocusIn: (event: FocusEvent) => {
      if (!this.isTouching) this.focused.value = idAt(event.target);
    },
    onFocusOut: (event: FocusEvent) => {
      this.focused.value = idAt(event.relatedTarget);
    },
  };
}

function idAt(target: EventTarget | null): string | null {
  const message = target instanceof Element ? target.closest<HTMLElement>('article[data-id]') : null;
  return message?.dataset.id ?? null;
}
