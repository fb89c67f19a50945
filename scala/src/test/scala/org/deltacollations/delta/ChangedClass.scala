// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta

import org.apache.xbean.asm9.commons.GeneratorAdapter
import org.apache.xbean.asm9.{ClassReader, ClassVisitor, ClassWriter, MethodVisitor, Opcodes, Type}

import org.deltacollations.delta.patch.{Hook, Signature}

/**
 * Makes a class of Delta as another vendor could have it: the methods that hooks look for take and
 * return `Object` in the place of every class. A forwarder of the old types keeps callers working, as
 * compilers leave it behind.
 */
private[delta] object ChangedClass {

  def otherTypes(bytes: Array[Byte], hooks: Seq[Hook]): Array[Byte] = {
    val reader = new ClassReader(bytes)
    val writer = new ClassWriter(reader, ClassWriter.COMPUTE_MAXS)
    reader.accept(new Changing(writer, reader, hooks), ClassReader.EXPAND_FRAMES)
    writer.toByteArray
  }

  /** A version that is newer than every JVM, and than what ASM reads. */
  def futureVersion(bytes: Array[Byte]): Array[Byte] = bytes.updated(7, 120.toByte)

  private val any = Type.getType(classOf[Object])

  final private class Changing(next: ClassVisitor, reader: ClassReader, hooks: Seq[Hook])
      extends ClassVisitor(Opcodes.ASM9, next) {

    private val owner = Type.getObjectType(reader.getClassName)
    private val isInterface = (reader.getAccess & Opcodes.ACC_INTERFACE) != 0

    override def visitMethod(
        access: Int,
        name: String,
        descriptor: String,
        signature: String,
        exceptions: Array[String]
    ): MethodVisitor = {
      def isHooked(hook: Hook): Boolean =
        (name == hook.method || name.endsWith("$$" + hook.method)) &&
          hook.signatures.map(Signature.descriptor).contains(descriptor)
      if (!hooks.exists(isHooked))
        super.visitMethod(access, name, descriptor, signature, exceptions)
      else {
        val changed = Type.getMethodDescriptor(
          widened(Type.getReturnType(descriptor)),
          Type.getArgumentTypes(descriptor).map(widened): _*
        )
        forward(access, name, descriptor, changed)
        val body = super.visitMethod(access, name, changed, null, exceptions)
        new Narrowed(body, access, name, changed, Type.getArgumentTypes(descriptor))
      }
    }

    private def widened(kind: Type): Type = if (kind.getSort < Type.ARRAY) kind else any

    private def forward(access: Int, name: String, descriptor: String, changed: String): Unit = {
      val flags = access | Opcodes.ACC_BRIDGE | Opcodes.ACC_SYNTHETIC
      val method = super.visitMethod(flags, name, descriptor, null, null)
      val code = new GeneratorAdapter(method, flags, name, descriptor)
      val isStatic = (access & Opcodes.ACC_STATIC) != 0
      val call =
        if (isStatic) Opcodes.INVOKESTATIC
        else if ((access & Opcodes.ACC_PRIVATE) != 0) Opcodes.INVOKESPECIAL
        else if (isInterface) Opcodes.INVOKEINTERFACE
        else Opcodes.INVOKEVIRTUAL
      code.visitCode()
      if (!isStatic) code.loadThis()
      code.loadArgs()
      code.visitMethodInsn(call, owner.getInternalName, name, changed, isInterface)
      val result = Type.getReturnType(descriptor)
      if (widened(result) == any) code.checkCast(result)
      code.returnValue()
      code.endMethod()
    }
  }

  /** Casts what came as `Object` to what the old body works with. */
  final private class Narrowed(
      next: MethodVisitor,
      access: Int,
      name: String,
      descriptor: String,
      types: Array[Type]
  ) extends GeneratorAdapter(Opcodes.ASM9, next, access, name, descriptor) {

    override def visitCode(): Unit = {
      super.visitCode()
      types.zipWithIndex.filter(_._1.getSort >= Type.ARRAY).foreach { case (kind, index) =>
        loadArg(index)
        checkCast(kind)
        storeArg(index)
      }
    }
  }
}
