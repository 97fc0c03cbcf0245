type Listeners<Events> = { [E in keyof Events]?: Set<(data: Events[E]) => void> };

/** Typed listeners: `on` returns the function that removes the listener again. */
export class Emitter<Events> {
  private readonly listeners: Listeners<Events> = {};

  on<E extends keyof Events>(event: E, listener: (data: Events[E]) => void): () => void {
    const listeners = this.listeners[event] ?? new Set();
    this.listeners[event] = listeners;
    listeners.add(listener);
    return () => listeners.delete(listener);
  }

  emit<E extends keyof Events>(event: E, data: Events[E]): void {
    for (const listener of [...(this.listeners[event] ?? [])]) callSafely(listener, data);
  }
}

/** A listener that throws must not keep the event from the others, nor stop the flow. */
function callSafely<T>(listener: (data: T) => void, data: T): void {
  try {
    listener(data);
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}
