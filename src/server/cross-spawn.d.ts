/** `spawn` that also starts `.cmd` files on Windows, such as npm. Its package has no types. */
declare module 'cross-spawn' {
  import { spawn } from 'node:child_process';
  export default spawn;
}
