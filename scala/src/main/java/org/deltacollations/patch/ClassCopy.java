// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.patch;

import org.apache.xbean.asm9.ClassReader;
import org.apache.xbean.asm9.ClassWriter;
import org.apache.xbean.asm9.commons.ClassRemapper;
import org.apache.xbean.asm9.commons.SimpleRemapper;

/** Copies a class under another name. */
final class ClassCopy {

  private ClassCopy() {}

  /**
   * Returns the bytecode of the copy. The names are internal names, with slashes. The ASM of Spark 4.0 has
   * only the constructor of the remapper that newer ones deprecate.
   */
  @SuppressWarnings("deprecation")
  static byte[] renamed(byte[] bytes, String from, String to) {
    ClassWriter writer = new ClassWriter(0);
    new ClassReader(bytes).accept(new ClassRemapper(writer, new SimpleRemapper(from, to)), 0);
    return writer.toByteArray();
  }
}
