/** What the user sees of a picture. */
export interface View {
  /** From 1, the largest part that fits. */
  zoom: number;
  /** Where the part is, from 0, the left end, to 1. */
  x: number;
  /** From 0, the top, to 1. */
  y: number;
}

/** A part of a picture, in its pixels. */
export interface Crop {
  left: number;
  top: number;
  width: number;
  height: number;
}

type Size = Pick<Crop, 'width' | 'height'>;

export const middle: View = { zoom: 1, x: 0.5, y: 0.5 };

/** The part of a picture that a view shows. @param ratio of its width to its height */
export function cropOf(image: Size, ratio: number, { zoom, x, y }: View): Crop {
  const width = Math.min(image.width, image.height * ratio) / zoom;
  const height = width / ratio;
  return { left: (image.width - width) * x, top: (image.height - height) * y, width, height };
}

/** The view after the part was moved by some pixels of the picture, no further than its edges. */
export function moved(view: View, image: Size, crop: Crop, byX: number, byY: number): View {
  const along = (at: number, room: number, by: number) => (room > 0 ? Math.min(1, Math.max(0, at + by / room)) : at);
  return {
    ...view,
    x: along(view.x, image.width - crop.width, byX),
    y: along(view.y, image.height - crop.height, byY),
  };
}
