import { Places } from './places';

describe('places', () => {
  it('gives what is free, up to what is wanted', async () => {
    const places = new Places(3);
    await expect(places.reserve(2, 0)).resolves.toBe(2);
    await expect(places.reserve(2, 0)).resolves.toBe(1);
    await expect(places.reserve(2, 0)).resolves.toBe(0);
  });

  it('serves those who wait in order as places come free', async () => {
    const places = new Places(1);
    await places.reserve(1, 0);
    const first = places.reserve(5, 10_000);
    const second = places.reserve(5, 10_000);
    places.release(1);
    await expect(first).resolves.toBe(1);
    places.release(1);
    await expect(second).resolves.toBe(1);
  });

  it('lets go of those who waited long enough, and keeps their place for others', async () => {
    const places = new Places(1);
    await places.reserve(1, 0);
    await expect(places.reserve(1, 5)).resolves.toBe(0);
    places.release(1);
    await expect(places.reserve(1, 0)).resolves.toBe(1);
  });
});
