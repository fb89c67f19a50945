// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta

import org.apache.xbean.asm9.commons.GeneratorAdapter
import org.apache.xbean.asm9.{ClassReader, ClassVisitor, ClassWriter, MethodVisitor, Opcodes, Type}

import org.deltacollations.patch.{Hook, Signature}

/**
 * Changes a class of Delta as another vendor might: the methods of hooks take and return `Object`
 * instead of other classes. A bridge method with the original types keeps callers working, like the
 * bridge methods that compilers generate.
 */
private[delta] object ChangedClass {

  def withOtherTypes(bytes: Array[Byte], hooks: Seq[Hook]): Array[Byte] = {
    val reader = new ClassReader(bytes)
    val writer = new ClassWriter(reader, ClassWriter.COMPUTE_MAXS)
    reader.accept(new WideningVisitor(writer, reader, hooks), ClassReader.EXPAND_FRAMES)
    writer.toByteArray
  }

  /** Sets a class file version that neither the JVM nor ASM supports. */
  def withFutureVersion(bytes: Array[Byte]): Array[Byte] = bytes.updated(7, 120.toByte)

  private val anyRef = Type.getType(classOf[Object])

  final private class WideningVisitor(next: ClassVisitor, reader: ClassReader, hooks: Seq[Hook])
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
          hook.signatures.map(Signature.toDescriptor).contains(descriptor)
      if (!hooks.exists(isHooked))
        super.visitMethod(access, name, descriptor, signature, exceptions)
      else {
        val changed = Type.getMethodDescriptor(
          widened(Type.getReturnType(descriptor)),
          Type.getArgumentTypes(descriptor).map(widened): _*
        )
        addBridge(access, name, descriptor, changed)
        val body = super.visitMethod(access, name, changed, null, exceptions)
        new NarrowedMethod(body, access, name, changed, Type.getArgumentTypes(descriptor))
      }
    }

    private def widened(jvmType: Type): Type =
      if (jvmType.getSort < Type.ARRAY) jvmType else anyRef

    private def addBridge(access: Int, name: String, descriptor: String, changed: String): Unit = {
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
      if (widened(result) == anyRef) code.checkCast(result)
      code.returnValue()
      code.endMethod()
    }
  }

  /** Casts the widened arguments to the types that the method body expects. */
  final private class NarrowedMethod(
      next: MethodVisitor,
      access: Int,
      name: String,
      descriptor: String,
      types: Array[Type]
  ) extends GeneratorAdapter(Opcodes.ASM9, next, access, name, descriptor) {

    override def visitCode(): Unit = {
      super.visitCode()
      types.zipWithIndex.filter(_._1.getSort >= Type.ARRAY).foreach { case (jvmType, index) =>
        loadArg(index)
        checkCast(jvmType)
        storeArg(index)
      }
    }
  }
}
